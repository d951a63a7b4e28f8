// A straight line through measured times.
#pragma once

#include <optional>
#include <span>

namespace verbcast {

struct LinePoint {
    double x = 0, y = 0;
};

/// y = intercept + slope * x
struct LineFit {
    double intercept = 0, slope = 0;
    double r2 = 0;  ///< share of the weighted variance that the line explains; 1: all points lie on it
};

/// Least squares with weights 1 / y^2: it makes the relative errors small, so that over five powers of ten
/// the small values count as much as the large ones. (Without weights the largest blocks alone would decide,
/// and t0 would be noise.) Points with y <= 0 are left out. Nothing with fewer than two different x.
std::optional<LineFit> fitRelative(std::span<const LinePoint> points);

}  // namespace verbcast
