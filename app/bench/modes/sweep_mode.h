// bench sweep with an adjustable range: benchSweep() measures the range documented for the command.
#pragma once

#include <cstdint>
#include <vector>

#include "app/bench/modes/bench_modes.h"

namespace verbcast {

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

}  // namespace verbcast
