// Times the measurement of a limit and computes its rate.
#pragma once

#include <future>

#include "app/bench/limits/limits.h"
#include "app/bench/workers/pinning.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"

namespace verbcast {

/// Counts whole frames, once each slot of a ring has been used. Not thread-safe.
class LimitClock {
  public:
    explicit LimitClock(const LimitJob& job) : job_(job) {}

    /// Call after each frame. Returns false if it was the last, or on interrupt.
    bool countFrame() {
        stoppedAt_ = nowNs();
        if (warmUp_ > 0) {
            --warmUp_;
            startedAt_ = checkedAt_ = stoppedAt_;
            return true;
        }
        ++frames_;
        if (job_.frames ? frames_ >= *job_.frames
                        : static_cast<double>(stoppedAt_ - startedAt_) * 1e-9 >= job_.seconds) {
            return false;
        }
        constexpr TimestampNs kInterval = 20'000'000;  // checking costs a system call
        if (stoppedAt_ - checkedAt_ < kInterval) {
            return true;
        }
        checkedAt_ = stoppedAt_;
        return !interruptEvent().isSet();
    }
    double gigabytesPerSecond() const {
        return stoppedAt_ > startedAt_ ? static_cast<double>(frames_ * job_.frameBytes) /
                                             static_cast<double>(stoppedAt_ - startedAt_)
                                       : 0;
    }

  private:
    const LimitJob& job_;
    std::uint32_t warmUp_ = job_.slots;
    std::uint64_t frames_ = 0;
    TimestampNs startedAt_ = 0, checkedAt_ = 0, stoppedAt_ = 0;
};

/// Returns the GB/s of move(N), which moves a frame. Runs it on a thread of its own, so that pinning ends
/// with it; a negative processor means no pinning. Throws what move() throws.
template <typename Move>
double rateOfThread(const LimitJob& job, int processor, Move&& move) {
    LimitClock clock(job);
    std::async(std::launch::async, [&] {
        pinThread(processor);
        std::uint64_t frame = 0;
        do {
            move(frame++);
        } while (clock.countFrame());
    }).get();
    return clock.gigabytesPerSecond();
}

/// Makes a limit of that name with the speed that `measure` returns, or with its error as the reason for
/// having none.
template <typename Measure>
Limit limitFrom(const std::string& name, const std::string& note, Measure&& measure) {
    Limit limit{.name = name, .gigabytesPerSecond = 0, .note = note, .unavailable = ""};
    try {
        limit.gigabytesPerSecond = measure();
    } catch (const Error& error) {
        limit.unavailable = error.what();
        if (!error.remedy().empty()) {
            limit.unavailable += ": " + error.remedy();
        }
    }
    return limit;
}

}  // namespace verbcast
