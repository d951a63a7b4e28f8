// bench sweep with its range open: benchSweep() measures the range that the command promises.
#pragma once

#include <cstdint>
#include <vector>

#include "app/bench/modes/bench_modes.h"

namespace verbcast {

struct SweepRange {
    std::vector<std::uint64_t> blocks;  ///< bytes, rising
    std::vector<std::uint32_t> depths;  ///< blocks in flight, rising, at most 64
    std::uint64_t ringBytes = 0;        ///< of each side at most; points that need more are left out
};

/// 4 KiB to 64 MiB, 1 to 64 in flight, rings of up to 512 MiB or what the machine has free.
SweepRange standardSweepRange();
void sweepRange(const SweepRange& range, const BenchOptions& options, BenchReport& report,
                BenchProgress& progress);

/// One line per transport and depth: over the median latency of a block alone, over the time per block of
/// several in flight. Appends fits and, for each transport, a note on
/// the cost of one message in flight.
void fitSweep(BenchReport& report);

}  // namespace verbcast
