// How far pictures and their sound are apart.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/os/clock.h"

namespace verbcast {

struct AvOffsets {
    std::vector<double> ms;  ///< of each pair, pip minus flash: positive where sound is late
    /// Pips without a flash and flashes without a pip, from the first pair to the last one.
    std::size_t missedFlashes = 0, missedPips = 0;
};

/// Makes pairs of what belongs to the same second: what is less than half a second apart. Both ascend.
AvOffsets offsetsOf(const std::vector<TimestampNs>& flashes, const std::vector<TimestampNs>& pips);

/// The value that this share of them does not exceed (0 to 1), of at least one.
double shareOf(std::vector<double> values, double share);

}  // namespace verbcast
