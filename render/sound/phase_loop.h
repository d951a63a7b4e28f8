// Pulls sound to where it should be by playing it a little faster or slower.
#pragma once

#include <algorithm>
#include <numbers>

namespace verbcast {

/// The clocks' rates are known from elsewhere (DelayLockedLoop), so all that is left is an offset, and a
/// proportional loop of 0.15 Hz ends it without overshoot. It changes the speed by at most 0.5 % (8 cents),
/// and by no more than that in a second. No dead band: what jitters has been smoothed before.
class PhaseLoop {
  public:
    /// Returns the speed for the next `seconds`. `error`: seconds by which the sound is late.
    double update(double error, double seconds) {
        const double wanted = std::clamp(kGain * error, -kMaxChange, kMaxChange);
        const double step = kMaxChange * seconds;
        correction_ += std::clamp(wanted - correction_, -step, step);
        return 1 + correction_;
    }
    /// The next sound begins where it should be.
    void reset() { correction_ = 0; }

  private:
    static constexpr double kGain = 2 * std::numbers::pi * 0.15;
    static constexpr double kMaxChange = 0.005;
    double correction_ = 0;
};

}  // namespace verbcast
