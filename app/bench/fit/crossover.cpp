#include "app/bench/fit/crossover.h"

#include <cmath>

namespace verbcast {

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
