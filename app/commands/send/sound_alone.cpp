#include "app/commands/send/sound_alone.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace verbcast {
namespace {

constexpr auto kTurn = static_cast<TimestampNs>(kSoundStep * 1e9);
/// Later than that, as after a pause, it goes on from now: viewers have heard all that was sent.
constexpr auto kLatest = static_cast<TimestampNs>(kSoundAhead * 1e9);
constexpr std::chrono::milliseconds kNextLook{100};  // at other things, while no sound comes

}  // namespace

class SoundAlone::Beside final : public SoundBeside {
  public:
    explicit Beside(SoundAlone& alone) : alone_(alone) {}
    Policy policyBeside(Policy pictures) const override { return pictures; }
    void start(Broadcast& /*sender*/) override {}
    bool sendMeanwhile(Broadcast& sender, const Event& cancel) override {
        return alone_.sendDue(sender, cancel);
    }

  private:
    SoundAlone& alone_;
};

SoundAlone::SoundAlone(std::unique_ptr<SoundSource> sound, const SourceOptions& part)
    : sound_(std::move(sound)),
      loop_(part.loop),
      unpaced_(part.unpaced),
      start_(samplesIn(part.start)),
      stop_(part.length ? std::optional(start_ + samplesIn(*part.length)) : std::nullopt),
      place_(start_) {
    if (start_ > 0) {
        goTo(start_);
    }
}

std::unique_ptr<SoundBeside> SoundAlone::soundBeside() {
    return std::make_unique<Beside>(*this);
}

std::int64_t SoundAlone::samplesIn(std::chrono::nanoseconds time) const {
    return std::llround(std::chrono::duration<double>(time).count() * sound_->format().rate);
}

Status SoundAlone::capture(CapturedFrame& /*frame*/, const Event& cancel) {
    if (isLive()) {
        waitReadable({sound_->waitDescriptor(), cancel.descriptor()}, kNextLook);
    } else if (over_ && heard_ >= sound_->format().secondsOf(end_)) {
        return Status::Closed;
    } else {
        due_ = std::max(due_ + kTurn, nowNs() - kLatest);
        if (!unpaced_) {
            waitUntil(due_, cancel);
        }
        heard_ += kSoundStep;
    }
    return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
}

/// Returns whether there was any.
bool SoundAlone::sendDue(Broadcast& sender, const Event& cancel) {
    bool any = false;
    while (hasDue()) {
        if (blocks_.send(block_, sound_->format(), block_.at + shift_, isLive(), sender, cancel) !=
            Status::Ok) {
            break;  // nobody is there
        }
        waiting_ = false;
        any = true;
        place_ = block_.at + static_cast<std::int64_t>(block_.samples.size()) / sound_->format().channels;
        end_ = place_ + shift_;
    }
    return any;
}

bool SoundAlone::hasDue() {
    waiting_ = waiting_ || readBlock();
    return waiting_ && (isLive() || sound_->format().secondsOf(block_.at + shift_) <= heard_ + kSoundAhead);
}

bool SoundAlone::readBlock() {
    if (isLive()) {
        return sound_->read(block_) == Status::Ok;
    }
    if (over_ || readPart()) {
        return !over_;
    }
    over_ = !loop_ || end_ == loopedAt_;
    if (!over_) {
        goTo(start_);
        loopedAt_ = end_;
        over_ = !readPart();
    }
    return !over_;
}

/// Cuts off what lies beyond the part that is sent. Returns false at its end.
bool SoundAlone::readPart() {
    if (sound_->read(block_) != Status::Ok || (stop_ && block_.at >= *stop_)) {
        return false;
    }
    const std::size_t channels = sound_->format().channels;
    const std::size_t samples = block_.samples.size() / channels;
    if (stop_ && block_.at + static_cast<std::int64_t>(samples) > *stop_) {
        const auto kept = static_cast<std::size_t>(*stop_ - block_.at);
        for (std::size_t channel = 1; channel < channels; ++channel) {
            std::copy_n(block_.samples.data() + channel * samples, kept,
                        block_.samples.data() + channel * kept);
        }
        block_.samples.resize(channels * kept);
    }
    return true;
}

void SoundAlone::goTo(std::int64_t place) {
    sound_->seek(std::chrono::nanoseconds(std::llround(sound_->format().secondsOf(place) * 1e9)));
    shift_ = end_ - place;
    loopedAt_ = -1;
    place_ = place;
    waiting_ = over_ = false;
}

std::chrono::nanoseconds SoundAlone::position() const {
    return std::chrono::nanoseconds(std::llround(sound_->format().secondsOf(place_) * 1e9));
}

void SoundAlone::seek(std::chrono::nanoseconds time) {
    goTo(std::clamp(samplesIn(time), start_, stop_.value_or(INT64_MAX)));
}

void SoundAlone::stepBack(std::uint32_t turns) {
    seek(position() - turns * std::chrono::nanoseconds(kTurn));
}

}  // namespace verbcast
