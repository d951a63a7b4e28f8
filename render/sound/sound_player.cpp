#include "render/sound/sound_player.h"

#include <algorithm>
#include <cmath>

namespace verbcast {
namespace {

constexpr double kDeviceJump = 0.02;  // seconds; the device's account of its delay may jitter by less
constexpr double kStandstill = 0.1;
constexpr double kNoPictures = 0.5;
constexpr double kFirstDelay = 0.04;  // of sound without pictures, until it is known what it needs
constexpr double kMaxLateness = 0.25;
constexpr double kVolumeRamp = 0.02;
constexpr std::array kLooks{0.5, 1.5};  // after a new tie: at what is left of its error
constexpr double kSettled = 0.003;
constexpr double kMaxRatio = 256;  // libsamplerate's

double secondsOf(TimestampNs time) {
    return static_cast<double>(time) * 1e-9;
}

TimestampNs nanoseconds(double seconds) {
    return static_cast<TimestampNs>(std::clamp(seconds, -1e9, 1e9) * 1e9);
}

}  // namespace

SoundPlayer::SoundPlayer() = default;
SoundPlayer::~SoundPlayer() = default;

void SoundPlayer::pictureShown(double mediaSeconds, TimestampNs shownAt, TimestampNs held) {
    shown_.held = secondsOf(held);
    shown_.tie.add(mediaSeconds, secondsOf(shownAt) - shown_.held);
    newestShown_.set(shown_);
}

void SoundPlayer::setVolume(double volume) {
    volume_ = volume > 0 ? std::min(volume, 1.0) : 0.0;  // NaN: silent
}

void SoundPlayer::setBudget(std::optional<std::chrono::nanoseconds> budget) {
    budget_ = budget ? std::max<TimestampNs>(budget->count(), 0) : -1;
}

void SoundPlayer::fill(std::span<float> samples, std::uint32_t channels, std::uint32_t rate,
                       TimestampNs heardAt) noexcept {
    filledFor_ = heardAt;
    if (channels == 0 || rate == 0 || samples.size() < channels || !openResampler(channels)) {
        std::fill(samples.begin(), samples.end(), 0.0F);
        return;
    }
    const Heard heard = followDevice(static_cast<std::uint32_t>(samples.size() / channels), rate, heardAt);
    followTies(heard.at);
    if (reader_.changeFormat()) {
        resampler_->reset();
    }
    const double outPerIn = ratio(heard, rate);
    resampler_->pull(samples.first(std::size_t{heard.frames} * channels), outPerIn);
    learnNeed(heard);
    applyVolume(samples, channels, rate);
}

bool SoundPlayer::openResampler(std::uint32_t channels) noexcept {
    if (resampler_ && resampler_->channels() == channels) {
        return true;
    }
    try {
        resampler_ = std::make_unique<SoundResampler>(reader_, channels);
    } catch (const std::exception&) {
        resampler_.reset();
        return false;
    }
    reader_.setOutputs(channels);
    return true;
}

SoundPlayer::Heard SoundPlayer::followDevice(std::uint32_t frames, std::uint32_t rate,
                                             TimestampNs heardAt) noexcept {
    const double error = secondsOf(heardAt) - device_.expected(lastFrames_);
    beginsAnew_ = rate != deviceRate_ || std::abs(error) > kDeviceJump;
    if (rate != deviceRate_) {
        device_.restart(secondsOf(heardAt), 1.0 / rate);
        deviceRate_ = rate;
    } else if (beginsAnew_) {
        device_.jump(secondsOf(heardAt));
    } else {
        device_.update(lastFrames_, error);
    }
    lastFrames_ = frames;
    return {device_.time(), frames};
}

void SoundPlayer::followTies(double heard) noexcept {
    const std::uint64_t pictures = pictures_.tie.events(), blocks = arrivals_.events();
    newestShown_.update(pictures_);
    intake_.arrivals().update(arrivals_);
    const bool wasByPictures = byPictures_;
    if (pictures_.tie.events() != pictures) {
        pictureAt_ = heard;
        byPictures_ = true;
    }
    if (arrivals_.events() != blocks) {
        arrivalAt_ = heard;
    }
    if (blocks == 0) {
        pictureAt_ = soundAt_ = heard;
    }
    if (reader_.playing()) {
        soundAt_ = heard;
    }
    if (heard - pictureAt_ > kNoPictures && heard - soundAt_ > kNoPictures &&
        heard - arrivalAt_ < kStandstill) {
        byPictures_ = false;
    }
    if (byPictures_ != wasByPictures) {
        beginsAnew_ = true;
        need_ = {};
    }
    chooseDelay();
}

void SoundPlayer::chooseDelay() noexcept {
    const TimestampNs budget = budget_;
    const double wanted = budget >= 0 ? secondsOf(budget) : need_.wanted();
    wantedDelay_ = nanoseconds(wanted);
    lateness_ = 0;
    if (byPictures_) {
        lateness_ = budget >= 0 ? 0 : std::clamp(wanted - pictures_.held, 0.0, kMaxLateness);
        delay_ = pictures_.held + lateness_;
    } else {
        delay_ = budget >= 0 || need_.known() ? wanted : kFirstDelay;
    }
}

/// An error that the phase's loop need not take seconds to end.
double SoundPlayer::mostError(double heard) noexcept {
    if (beginsAnew_ || !reader_.playing() || tie().steps() != steps_) {
        steps_ = tie().steps();
        tiedAt_ = heard;
        looks_ = 0;
    }
    if (byPictures_ && looks_ < kLooks.size() && heard - tiedAt_ > kLooks[looks_]) {
        ++looks_;
        return kSettled;
    }
    return SoundReader::kResync;
}

/// Both pictures and sound have stopped: what is left is kept for when they go on.
bool SoundPlayer::standsStill(double heard) const noexcept {
    return byPictures_ && heard - pictureAt_ > kStandstill && heard - arrivalAt_ > kStandstill;
}

double SoundPlayer::mediaHeardAt(double local) const noexcept {
    return tie().mediaOf(local - delay_ - secondsOf(avOffset_));
}

/// Which media time should be heard with the next frame that is read, if what is pulled next is heard then.
double SoundPlayer::mediaToRead(double heardAt) const noexcept {
    return mediaHeardAt(heardAt + resampler_->ahead() * reader_.period() / tie().speed());
}

/// Output frames for each frame of the stream.
double SoundPlayer::ratio(const Heard& heard, std::uint32_t rate) noexcept {
    if (!tie().tied() || reader_.rate() == 0) {
        return 1;
    }
    const double clocks = reader_.period() / (tie().speed() * device_.period());
    const auto frames = static_cast<std::uint64_t>(heard.frames / clocks);
    const bool silent = beginsAnew_ || paused_ || standsStill(heard.at);
    const std::optional<double> late =
        reader_.aim({mediaToRead(heard.at), frames, silent, mostError(heard.at)});
    double speed = 1;
    if (late) {
        speed = phase_.update(*late, static_cast<double>(heard.frames) / rate);
        const double offset = *late + lateness_;
        offsetMs_ = offset * 1e3;
        offsets_.record(nanoseconds(std::abs(offset)));
        driftPpm_ = (rate / (clocks * reader_.rate()) - 1) * 1e6;
    } else {
        phase_.reset();
    }
    return std::clamp(clocks / speed, 1 / kMaxRatio, kMaxRatio);
}

void SoundPlayer::learnNeed(const Heard& heard) noexcept {
    sounding_ = reader_.playing();
    bufferedMs_ = reader_.buffered() * 1e3;
    const std::optional<double> end = reader_.end();
    if (!end || !tie().tied()) {
        return;
    }
    const double readAt = heard.at + heard.frames * device_.period();
    // To begin, it must be longer than both fades.
    const double fades = (sounding_ ? 1 : 2) * SoundReader::kFadeSeconds;
    const double missing = mediaToRead(readAt) + fades - *end;
    need_.add(missing + delay_, heard.at, reader_.arrivedBlocks() != arrivedBlocks_);
    arrivedBlocks_ = reader_.arrivedBlocks();
}

void SoundPlayer::applyVolume(std::span<float> samples, std::uint32_t channels, std::uint32_t rate) noexcept {
    const float wanted = muted_ ? 0.0F : static_cast<float>(volume_.load());
    const float step = 1 / (static_cast<float>(kVolumeRamp) * static_cast<float>(rate));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i % channels == 0) {
            gain_ += std::clamp(wanted - gain_, -step, step);
        }
        samples[i] = std::clamp(samples[i] * gain_, -1.0F, 1.0F);
    }
}

SoundPlaybackStats SoundPlayer::stats(TimestampNs now) const {
    SoundPlaybackStats stats;
    stats.sounding = sounding_ && plays(now);
    stats.offsetMs = offsetMs_;
    stats.offset = offsets_.snapshot().percentiles();
    stats.driftPpm = driftPpm_;
    stats.bufferedMs = bufferedMs_;
    stats.delayMs = secondsOf(wantedDelay(now).count()) * 1e3;
    stats.underruns = reader_.underruns();
    stats.concealed = intake_.lost();
    stats.dropped = intake_.dropped();
    stats.resyncs = reader_.resyncs();
    return stats;
}

}  // namespace verbcast
