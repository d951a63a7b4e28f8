// A point in time by which something must be done, or never.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

#include "core/base/os/clock.h"

namespace verbcast {

/// A value type: copy it freely. Measured on CLOCK_MONOTONIC.
class Deadline {
  public:
    /// Never passes.
    static Deadline never() { return Deadline(kNever); }
    /// `time` from now. A negative time has already passed; std::chrono::nanoseconds::max() is never().
    static Deadline in(std::chrono::nanoseconds time) {
        const TimestampNs now = nowNs();
        return Deadline(time.count() >= kNever - now ? kNever : now + time.count());
    }
    static Deadline at(TimestampNs time) { return Deadline(time); }

    bool isNever() const { return at_ == kNever; }
    bool passed() const { return at_ != kNever && nowNs() >= at_; }
    /// 0 once it has passed, std::chrono::nanoseconds::max() for never().
    std::chrono::nanoseconds left() const {
        return isNever() ? std::chrono::nanoseconds::max()
                         : std::chrono::nanoseconds(std::max<TimestampNs>(at_ - nowNs(), 0));
    }
    /// The sooner of the two.
    friend Deadline earlier(Deadline one, Deadline other) { return Deadline(std::min(one.at_, other.at_)); }

  private:
    static constexpr TimestampNs kNever = std::numeric_limits<TimestampNs>::max();
    explicit Deadline(TimestampNs at) : at_(at) {}

    TimestampNs at_;
};

}  // namespace verbcast
