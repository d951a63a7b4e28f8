#include "core/sound/sound_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace verbcast {
namespace {

constexpr double kFastHz = 1, kSlowHz = 0.1, kFastSeconds = 4;
// No crystal is worse; reports may be.
constexpr double kMaxDeviation = 0.005;

}  // namespace

TimestampNs SoundClock::next(TimestampNs reported, std::uint32_t samples) {
    if (!expected_ || std::abs(elapsedNs(expected_->whole, reported)) > kJump) {
        expected_ = Time{reported, 0};
        locked_ = 0;
    }
    const TimestampNs at = expected_->whole;
    const double error = static_cast<double>(reported - at) - expected_->fraction;
    const double seconds = samples * perSample_ * 1e-9;
    const double hertz = locked_ < kFastSeconds ? kFastHz : kSlowHz;
    // Long periods would make the loop unstable.
    const double omega = std::min(2 * std::numbers::pi * hertz * seconds, 0.5);
    const double ahead = expected_->fraction + samples * perSample_ + std::numbers::sqrt2 * omega * error;
    perSample_ = std::clamp(perSample_ + omega * omega * error / std::max(samples, 1U),
                            nominal_ * (1 - kMaxDeviation), nominal_ * (1 + kMaxDeviation));
    const double whole = std::floor(ahead);
    expected_ = Time{at + static_cast<TimestampNs>(whole), ahead - whole};
    locked_ += seconds;
    return at;
}

}  // namespace verbcast
