#include "capture/sound/sound_timeline.h"

extern "C" {
#include <libavutil/avutil.h>
#include <libavutil/mathematics.h>
}

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace verbcast {
namespace {

// Beyond the roundings of all containers, also where FFmpeg adds them up, and below the shortest packet of a
// codec (2.5 ms of Opus), whose loss shows.
constexpr std::int64_t kMillisecondsOff = 2;
// FFmpeg's demuxers go on to date frames by the rate that the file began with, between stamps of the file.
constexpr std::int64_t kMillisecondsOffAtAnotherRate = 100;
// Later ones are wrong, and would overflow sums.
constexpr long double kFarthest = 1LL << 50;

}  // namespace

SoundTimeline::SoundTimeline(AVRational timeBase, std::int64_t beginning, std::uint32_t rate)
    : timeBase_(timeBase), beginning_(beginning), firstRate_(rate), rate_(rate) {
    setRate(rate);
}

void SoundTimeline::setRate(std::uint32_t rate) {
    if (next_) {
        next_ = av_rescale(*next_, rate, rate_);
        counting_ = false;
    }
    step_ = 0;
    rate_ = rate;
    const std::int64_t perSecond = std::int64_t{rate} * timeBase_.num;
    const bool exact = timeBase_.den % perSecond == 0;
    tick_ = (perSecond + timeBase_.den - 1) / timeBase_.den;
    tolerance_ = rate != firstRate_ ? rate * kMillisecondsOffAtAnotherRate / 1000
                 : exact            ? 0
                                    : rate * kMillisecondsOff / 1000;
}

void SoundTimeline::restart(bool atBeginning) {
    next_.reset();
    counting_ = atBeginning;
}

std::optional<std::int64_t> SoundTimeline::positionOf(std::int64_t stamp) const {
    if (stamp == AV_NOPTS_VALUE) {
        return std::nullopt;
    }
    const long double seconds = static_cast<long double>(stamp) * timeBase_.num / timeBase_.den -
                                static_cast<long double>(beginning_) / AV_TIME_BASE;
    const long double position = seconds * rate_;
    return std::abs(position) < kFarthest ? std::optional<std::int64_t>(std::llround(position))
                                          : std::nullopt;
}

// Decoders may shorten the first frame after a seek at its beginning, as they do the file's first one.
std::int64_t SoundTimeline::landing(std::int64_t stamped, std::uint32_t samples) const {
    if (counting_ || tolerance_ == 0 || step_ == 0) {
        return stamped;
    }
    const auto distance = static_cast<double>(stamped + samples - firstEnd_);
    const std::int64_t steps = std::llround(distance / static_cast<double>(step_));
    const std::int64_t nearest = firstEnd_ + steps * step_ - samples;
    return std::abs(nearest - stamped) <= tick_ ? nearest : stamped;
}

SoundTimeline::Place SoundTimeline::place(std::int64_t stamp, std::uint32_t samples) {
    const auto stamped = positionOf(stamp);
    Place place{.at = next_.value_or(0), .follows = next_.has_value()};
    if (!next_ && stamped) {
        place.at = landing(*stamped, samples);
    } else if (stamped && std::abs(*stamped - *next_) > tolerance_) {
        place = {.at = *stamped, .follows = false};
        counting_ = false;
    }
    learn(place.at, samples);
    next_ = place.at + samples;
    return place;
}

void SoundTimeline::learn(std::int64_t at, std::uint32_t samples) {
    if (!counting_) {
        return;
    }
    if (!next_) {
        firstEnd_ = at + samples;
        lastLength_ = 0;
    } else {
        step_ = std::gcd(step_, lastLength_);
        lastLength_ = samples;
    }
}

}  // namespace verbcast
