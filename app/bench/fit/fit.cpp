#include "app/bench/fit/fit.h"

#include <algorithm>
#include <cmath>

namespace verbcast {
namespace {

struct Sums {
    double weight = 0, x = 0, y = 0;
};

}  // namespace

std::optional<LineFit> fitRelative(std::span<const LinePoint> points) {
    const auto usable = [](const LinePoint& p) {
        return p.y > 0 && std::isfinite(p.x) && std::isfinite(p.y);
    };
    const auto weightOf = [](const LinePoint& p) { return 1 / (p.y * p.y); };
    Sums sums;
    for (const LinePoint& p : points) {
        if (usable(p)) {
            sums.weight += weightOf(p);
            sums.x += weightOf(p) * p.x;
            sums.y += weightOf(p) * p.y;
        }
    }
    if (sums.weight <= 0) {
        return std::nullopt;
    }
    // Around the weighted means, to avoid cancellation of large values.
    const double meanX = sums.x / sums.weight;
    const double meanY = sums.y / sums.weight;
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (const LinePoint& p : points) {
        if (usable(p)) {
            xx += weightOf(p) * (p.x - meanX) * (p.x - meanX);
            xy += weightOf(p) * (p.x - meanX) * (p.y - meanY);
            yy += weightOf(p) * (p.y - meanY) * (p.y - meanY);
        }
    }
    if (xx <= 0) {
        return std::nullopt;
    }
    LineFit fit;
    fit.slope = xy / xx;
    fit.intercept = meanY - fit.slope * meanX;
    fit.r2 = yy > 0 ? std::clamp(xy * xy / (xx * yy), 0.0, 1.0) : 1;
    return fit;
}

std::uint64_t crossoverBytes(std::span<const CostPair> points) {
    std::size_t from = points.size();
    while (from > 0 && points[from - 1].first < points[from - 1].second) {
        --from;
    }
    if (from == points.size()) {
        return 0;
    }
    if (from == 0) {
        return points.front().bytes;
    }
    const CostPair& below = points[from - 1];
    const CostPair& above = points[from];
    const double ratioBelow = std::log(below.first / below.second);  // >= 0
    const double ratioAbove = std::log(above.first / above.second);  // < 0
    const double share = ratioBelow / (ratioBelow - ratioAbove);
    const double low = std::log(static_cast<double>(below.bytes));
    const double high = std::log(static_cast<double>(above.bytes));
    return static_cast<std::uint64_t>(std::llround(std::exp(low + share * (high - low))));
}

}  // namespace verbcast
