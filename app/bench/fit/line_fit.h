// Fits a straight line through measured times.
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
    double r2 = 0;  ///< share of the weighted variance that the line explains; 1: exact fit
};

/// Least squares with weights 1 / y^2, which minimizes relative errors: over five powers of ten, small values
/// count as much as large ones. (Without weights the largest blocks alone would decide, and t0 would be
/// noise.) Ignores points with y <= 0. Returns nullopt with fewer than two different x.
std::optional<LineFit> fitRelative(std::span<const LinePoint> points);

}  // namespace verbcast
