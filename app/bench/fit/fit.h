// What measured points say: the line through them, and the size from which one method is cheaper than
// another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace verbcast {

struct LinePoint {
    double x = 0, y = 0;
};

/// y = intercept + slope * x
struct LineFit {
    double intercept = 0, slope = 0;
    double r2 = 0;  ///< share of the weighted variance that the line explains; 1: exact fit
};

/// Least squares with weights 1 / y^2, which minimizes relative errors: over five powers of ten, small values
/// count as much as large ones. (Without weights the largest blocks alone would decide, and t0 would be
/// noise.) Ignores points with y <= 0. Returns nullopt with fewer than two different x.
std::optional<LineFit> fitRelative(std::span<const LinePoint> points);

struct CostPair {
    std::uint64_t bytes = 0;
    double first = 0, second = 0;  ///< cost of each method, above 0
};

/// Returns the size from which the first method is cheaper at every measured size, interpolated to where the
/// cost ratio passes 1 on a log-log scale. Returns the smallest measured size if it is cheaper everywhere; 0
/// if it is not cheaper at the largest. `points` are sorted by size.
std::uint64_t crossoverBytes(std::span<const CostPair> points);

}  // namespace verbcast
