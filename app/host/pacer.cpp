#include "app/host/pacer.h"

#include <algorithm>

namespace verbcast {
namespace {

constexpr TimestampNs kLate = 1'000'000'000;
constexpr TimestampNs kLongestPause = 10'000'000'000;  // of a clock that may jump; as ffmpeg judges it
constexpr double kFarthest = 4e9;                      // seconds that nanoseconds can express twice

}  // namespace

TimestampNs Pacer::position(std::uint64_t index, std::int64_t pts, Rational timeBase) const {
    const double seconds = pacing_ == Pacing::Rate ? static_cast<double>(index) / rate_.value()
                                                   : static_cast<double>(pts) * timeBase.value();
    return static_cast<TimestampNs>(std::clamp(seconds, -kFarthest, kFarthest) * 1e9);
}

TimestampNs Pacer::due(std::uint64_t index, std::int64_t pts, Rational timeBase, TimestampNs now) {
    if (pacing_ == Pacing::Max) {
        return now;
    }
    const TimestampNs offset = position(index, pts, timeBase);
    const TimestampNs due = origin_ + offset;
    const bool jumped = mayJump_ && pacing_ == Pacing::Source && due - now > kLongestPause;
    if (started_ && now - due <= kLate && !jumped) {
        return due;
    }
    started_ = true;
    origin_ = now - offset;
    return now;
}

}  // namespace verbcast
