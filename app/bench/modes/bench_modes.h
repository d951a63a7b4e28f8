// The measurements. Each adds to the report as it goes, so that Ctrl-C keeps what was measured so far, and
// returns when done or when interruptEvent() is set. Throws Error if it cannot work.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "app/bench/report/bench_report.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/transport/rdma/rdma_devices.h"

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

/// Takes what is measured now, in words.
using Say = std::function<void(const std::string&)>;

/// The run in the middle by that figure; `runs` must not be empty.
template <typename Run, typename Figure>
Run medianBy(std::vector<Run> runs, Figure figure) {
    std::ranges::sort(runs, {}, figure);
    return std::move(runs[runs.size() / 2]);
}

/// Runs work(). After Ctrl-C its errors do not count: workers hear it too, and may be gone without a result.
template <typename Work>
void unlessInterrupted(Work&& work) {
    try {
        work();
    } catch (const Error&) {
        if (!interruptEvent().isSet()) {
            throw;
        }
    }
}

void benchFrames(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchLimits(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchSweep(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchRegister(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchRpc(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchStages(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchScale(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchDecode(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchAv(const BenchOptions& options, BenchReport& report, BenchProgress& progress);
void benchViewers(const BenchOptions& options, BenchReport& report, BenchProgress& progress);

// With an adjustable range; those above measure the range documented for the command.

struct SweepRange {
    std::vector<std::uint64_t> blocks;  ///< bytes, ascending
    std::vector<std::uint32_t> depths;  ///< blocks in flight, ascending, at most 64
    std::uint64_t ringBytes = 0;        ///< limit per side; points that need more are left out
};
/// 4 KiB to 64 MiB, 1 to 64 in flight, rings of up to 512 MiB or a quarter of the available memory.
SweepRange standardSweepRange();
void sweepRange(const SweepRange& range, const BenchOptions& options, BenchReport& report,
                BenchProgress& progress);
/// Fits a line per transport and depth: through the median latency of single blocks, or through the time per
/// block of several in flight. Appends the fits and, for each transport, a note on the cost of one message in
/// flight.
void fitSweep(BenchReport& report);

struct RpcRange {
    std::vector<std::uint32_t> callers;  ///< calls in flight
    std::uint32_t payloadBytes = 64;     ///< of request and reply: 8 to kMaxMessageBytes
};
/// 1 to 256 callers, 64 bytes.
RpcRange standardRpcRange();
void rpcRange(const RpcRange& range, const BenchOptions& options, BenchReport& report,
              BenchProgress& progress);

struct RegisterRange {
    std::vector<std::uint64_t> sizes;  ///< bytes, ascending
    /// Memory that smaller sizes cycle through: more than most last-level caches hold.
    std::uint64_t spreadBytes = 256ULL << 20;
};
void registerRange(RegistrationProbe& probe, const RegisterRange& range, const BenchOptions& options,
                   BenchReport& report, BenchProgress& progress);

}  // namespace verbcast
