// Shared by the modes of bench register: how often something is timed, and how the times are summarized.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/bench/modes/bench_modes.h"
#include "app/host/interrupt.h"
#include "core/base/os/clock.h"

namespace verbcast {

inline constexpr std::size_t kMinRepetitions = 5;
inline constexpr std::size_t kMaxRepetitions = 2000;

/// 0 if empty. Sorts `nanoseconds` partially.
double medianUs(std::vector<std::int64_t>& nanoseconds);

/// Calls work(n) for a tenth of --seconds, or --frames times. Returns false if interrupted too early.
template <typename Work>
bool repeat(const BenchOptions& options, Work&& work) {
    const TimestampNs end = nowNs() + static_cast<TimestampNs>(options.seconds * 1e8);
    const std::size_t least = options.frames ? *options.frames : kMinRepetitions;
    const std::size_t most = options.frames ? *options.frames : kMaxRepetitions;
    for (std::size_t n = 0; n < most && (n < least || nowNs() < end); ++n) {
        if (interruptEvent().isSet()) {
            return n >= kMinRepetitions;
        }
        work(n);
    }
    return true;
}

/// Adds the crossover of one series of points, sorted by size.
void addCrossover(BenchReport& report, std::span<const RegisterPoint> points);

}  // namespace verbcast
