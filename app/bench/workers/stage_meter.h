// How long a stage takes, and how much of the processors it uses.
#pragma once

#include <cstdint>
#include <limits>

#include "app/bench/report/bench_report.h"
#include "core/base/clock.h"
#include "core/stats/histogram.h"

namespace verbcast {

/// A moment by the clock and by the processors.
struct Moment {
    TimestampNs at = 0;
    double cpuSeconds = 0;  ///< used by all threads of this process until then
    static Moment now() { return {nowNs(), processCpuSeconds()}; }
};

/// One stage over the frames. The first ones, `warmUp` of them, count only when no others came.
class StageMeter {
  public:
    explicit StageMeter(std::uint64_t warmUp = 0) : warmUp_(warmUp) {}

    void record(const Moment& begin, const Moment& end) {
        Part& part = recorded_++ < warmUp_ ? first_ : later_;
        part.times.record(end.at - begin.at);
        part.cpuSeconds += end.cpuSeconds - begin.cpuSeconds;
    }
    Percentiles percentiles() const { return part().times.percentiles(); }
    /// Of each frame: mean of the processor time, median of the time.
    PartCost cost() const { return {.cpuUs = cpuUsPerFrame(), .wallUs = percentiles().p50}; }
    /// Not a number without frames.
    double cpuUsPerFrame() const {
        const auto count = static_cast<double>(part().times.count());
        return count > 0 ? part().cpuSeconds * 1e6 / count : std::numeric_limits<double>::quiet_NaN();
    }

  private:
    struct Part {
        LatencyHistogram times;
        double cpuSeconds = 0;
    };
    const Part& part() const { return later_.times.count() > 0 ? later_ : first_; }

    std::uint64_t warmUp_, recorded_ = 0;
    Part first_, later_;
};

}  // namespace verbcast
