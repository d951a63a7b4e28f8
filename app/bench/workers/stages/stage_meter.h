// Measures the duration and CPU time of a stage.
#pragma once

#include <cstdint>
#include <limits>

#include "app/bench/report/bench_report.h"
#include "core/base/os/clock.h"
#include "core/stats/histogram.h"

namespace verbcast {

/// A point in wall-clock and CPU time.
struct Moment {
    TimestampNs at = 0;
    double cpuSeconds = 0;  ///< used so far by all threads of this process
    static Moment now() { return {nowNs(), processCpuSeconds()}; }
};

/// Measures one stage over the frames. The first `warmUp` frames count only if there are no others.
class StageMeter {
  public:
    explicit StageMeter(std::uint64_t warmUp = 0) : warmUp_(warmUp) {}

    void record(const Moment& begin, const Moment& end) {
        Part& part = recorded_++ < warmUp_ ? first_ : later_;
        part.times.record(end.at - begin.at);
        part.cpuSeconds += end.cpuSeconds - begin.cpuSeconds;
    }
    Percentiles percentiles() const { return part().times.percentiles(); }
    /// Per frame: mean CPU time, median duration.
    PartCost cost() const { return {.cpuUs = cpuUsPerFrame(), .wallUs = percentiles().p50}; }
    /// NaN without frames.
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
