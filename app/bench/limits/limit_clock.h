// Times the measurement of a limit and computes its rate.
#pragma once

#include <functional>
#include <memory>

#include "app/bench/limits/limits.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// Counts whole frames from the first measured one on. Not thread-safe.
class LimitClock {
  public:
    explicit LimitClock(const LimitJob& job) : job_(job) {}

    /// Call after warm-up: starts counting.
    void begin() { startedAt_ = checkedAt_ = stoppedAt_ = nowNs(); }
    /// Call after each frame. Returns false if it was the last, or on interrupt.
    bool countFrame() {
        ++frames_;
        stoppedAt_ = nowNs();
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
    std::uint64_t frames_ = 0;
    TimestampNs startedAt_ = 0, checkedAt_ = 0, stoppedAt_ = 0;
};

/// A ring as in a session, with every page written once. Throws Error{Resource}.
std::shared_ptr<FramePool> touchedRing(const LimitJob& job);

/// Returns the GB/s of work(), which calls the clock after each frame. Runs it on a thread of its own, so
/// that pinning ends with it; a negative processor means no pinning. Throws what work() throws.
double rateOfThread(const LimitJob& job, int processor, const std::function<void(LimitClock&)>& work);

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

/// Frames moved before counting starts: each slot once.
inline std::uint64_t warmUpFrames(const LimitJob& job) {
    return job.slots;
}

}  // namespace verbcast
