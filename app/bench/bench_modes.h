// The measurements. Each adds to the report as it goes, so that Ctrl-C leaves what was measured until then,
// and returns when done or when interruptEvent() is set. Throws Error for what cannot work.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/bench/bench_report.h"

namespace verbcast {

/// Says what is being measured on a terminal's last line: "[3/12] tcp 3840x2160 rgba: 812 frames, 4.6 GB/s".
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

/// The transports to measure, after leaving out (with a note) or refusing (Error{Device}) those that are
/// missing.
std::vector<std::string> usableTransports(const BenchOptions& options, BenchReport& report);
/// A TCP port of the loopback that is free now.
std::uint16_t freePort();
/// A fresh address of that transport on this host for two processes to meet at.
std::string freshAddress(const std::string& scheme, const BenchOptions& options);

}  // namespace verbcast
