// Finds the size from which one method is cheaper than another.
#pragma once

#include <cstdint>
#include <span>

namespace verbcast {

struct CostPair {
    std::uint64_t bytes = 0;
    double first = 0, second = 0;  ///< cost of each method, above 0
};

/// Returns the size from which the first method is cheaper at every measured size, interpolated to where the
/// cost ratio passes 1 on a log-log scale. Returns the smallest measured size if it is cheaper everywhere; 0
/// if it is not cheaper at the largest. `points` are sorted by size.
std::uint64_t crossoverBytes(std::span<const CostPair> points);

}  // namespace verbcast
