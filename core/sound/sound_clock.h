// When a device's samples were taken: its reports, without their jitter.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/os/clock.h"

namespace verbcast {

/// A delay-locked loop of second order (F. Adriaensen, "Using a DLL to filter time", 2005): it follows the
/// device's crystal against our clock, and what it makes of the reports never jumps by their jitter. Its
/// bandwidth is 1 Hz for the first 4 s, and 0.1 Hz then. A report that is far off starts it anew. Pure:
/// used by one thread.
class SoundClock {
  public:
    /// A report farther than this from what was expected is no jitter: samples were lost, or the device
    /// sleeps.
    static constexpr TimestampNs kJump = 20'000'000;

    /// For samples of this nominal rate.
    explicit SoundClock(double rate) : nominal_(1e9 / rate), perSample_(nominal_) {}

    /// The device reports that the first of the next `samples` was taken at `reported`. Returns when that was
    /// without jitter.
    TimestampNs next(TimestampNs reported, std::uint32_t samples);
    /// Forgets the time, as after lost samples, but not the device's rate.
    void restart() { expected_.reset(); }
    /// Nanoseconds from sample to sample.
    double perSample() const { return perSample_; }

  private:
    struct Time {  // exact for longer than a double would be
        TimestampNs whole;
        double fraction;
    };

    const double nominal_;
    double perSample_;
    double locked_ = 0;  // seconds since the last start
    std::optional<Time> expected_;
};

}  // namespace verbcast
