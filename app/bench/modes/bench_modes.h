// The measurements. Each adds to the report as it goes, so that Ctrl-C keeps what was measured so far, and
// returns when done or when interruptEvent() is set. Throws Error if it cannot work.
#pragma once

#include <string>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// Shows on a terminal's last line what is being measured: "[3/12] tcp 3840x2160 rgba: 812 frames, 4.6 GB/s".
class BenchProgress {
  public:
    explicit BenchProgress(bool quiet);
    ~BenchProgress();
    void step(std::size_t index, std::size_t count, const std::string& text);
    void clear();

  private:
    bool shown_;
    bool dirty_ = false;
};

void benchFrames(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchLimits(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchSweep(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchRegister(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchRpc(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchStages(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchScale(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchDecode(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchViewers(const BenchOptions& options, BenchReport& report, BenchProgress& progress);

}  // namespace verbcast
