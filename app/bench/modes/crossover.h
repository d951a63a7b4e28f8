// From which size on one way of doing a thing is cheaper than another.
#pragma once

#include <cstdint>
#include <span>

namespace verbcast {

struct CostPair {
    std::uint64_t bytes = 0;
    double first = 0, second = 0;  ///< cost of the two ways, above 0
};

/// The size from which on the first way is cheaper at every measured size; between two measured sizes the
/// place where the ratio passes 1 on doubly logarithmic paper. The smallest measured size when it is cheaper
/// everywhere; 0 when it is not cheaper at the largest. `points` rise in size.
std::uint64_t crossoverBytes(std::span<const CostPair> points);

}  // namespace verbcast
