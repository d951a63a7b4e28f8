#include "app/view/sound/stream_sound.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

std::string outputName(const std::string& audio) {
    return audio == "auto" ? "default" : audio == kNullDevice ? "none" : audio;
}

std::optional<std::chrono::nanoseconds> nanoseconds(std::optional<double> milliseconds) {
    return milliseconds ? std::optional(std::chrono::nanoseconds(std::llround(*milliseconds * 1e6)))
                        : std::nullopt;
}

}  // namespace

StreamSound::StreamSound(const ViewOptions& options, Open open)
    : open_(std::move(open)),
      wanted_{.device = outputName(options.audio), .rate = 0, .channels = 0, .name = "Verbcast"} {
    player_.setOffset(*nanoseconds(options.avOffset));
    player_.setBudget(nanoseconds(options.avLatency));
    control(soundControls(options));
}

void StreamSound::control(const SoundControls& controls) {
    player_.setVolume(std::pow(controls.volume / 100, 3));
    muted_ = controls.muted || !controls.audible;
    player_.setMuted(muted_);
    player_.setPaused(controls.paused);
    audible_ = controls.audible;
    holds_ = controls.holds;
}

void StreamSound::put(const ArrivedSound& sound) {
    if (!asked_ && !audible_) {
        return;
    }
    asked_ = true;
    if (sound.format.rate > wanted_.rate || sound.format.channels > wanted_.channels) {
        want(sound.format);
    }
    // Slots begin at pages.
    player_.put(sound.format, sound.frame.info.pts, sound.follows,
                {reinterpret_cast<const float*>(sound.planar.data()), sound.planar.size() / sizeof(float)},
                sound.frame.arrivedAt);
}

/// An output of fewer channels or a lower rate would lose some of that sound.
void StreamSound::want(const SoundFormat& format) {
    const std::lock_guard lock(mutex_);
    wanted_.rate = std::max(wanted_.rate, format.rate);
    if (format.channels > wanted_.channels) {
        wanted_.channels = format.channels;
        wanted_.layout = format.layout;
    }
    isWanted_ = true;
    if (!std::exchange(opens_, true)) {
        opening_ = std::jthread([this] { openWanted(); });
    }
}

void StreamSound::openWanted() {
    for (;;) {
        SoundOutputOptions wanted;
        std::unique_ptr<SoundOutput> before;
        {
            const std::lock_guard lock(mutex_);
            opens_ = std::exchange(isWanted_, false);
            if (!opens_) {
                return;
            }
            wanted = wanted_;
            before = std::move(output_);
        }
        before.reset();  // one at a time fills from the player
        open(wanted);
    }
}

void StreamSound::open(const SoundOutputOptions& wanted) {
    try {
        auto output = open_(wanted, player_);
        const std::lock_guard lock(mutex_);
        output_ = std::move(output);
        problem_.clear();
    } catch (const std::exception& error) {
        log(LogCategory::Render).warn("no sound is heard: {}", error.what());
        const std::lock_guard lock(mutex_);
        problem_ = error.what();
    }
}

void StreamSound::pictureShown(const ReceivedFrame& frame, TimestampNs at) {
    if (!asked_ || !frame.format) {
        return;
    }
    heldFor_ = frame.heldFor;
    // Showing the first one takes longer: shaders are compiled, and textures made.
    if (std::exchange(shownFormat_, frame.format) == frame.format) {
        player_.pictureShown(static_cast<double>(frame.info.pts) * frame.format->timeBase.value(), at,
                             frame.heldFor);
    }
}

TimestampNs StreamSound::hold() const {
    return asked_ && holds_ ? player_.wantedDelay(nowNs()).count() : 0;
}

std::optional<SoundPlaybackStats> StreamSound::stats() const {
    if (!asked_) {
        return std::nullopt;
    }
    SoundPlaybackStats stats = player_.stats(nowNs());
    stats.muted = muted_;
    stats.heldMs = static_cast<double>(heldFor_) * 1e-6;
    const std::lock_guard lock(mutex_);
    stats.problem = problem_;
    if (output_) {
        const SoundOutputStatus status = output_->status();
        stats.device = status.device;
        stats.problem = status.problem;
        stats.deviceUnderruns = status.underruns;
    }
    return stats;
}

}  // namespace verbcast
