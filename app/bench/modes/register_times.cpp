#include "app/bench/modes/register_times.h"

#include <algorithm>

#include "app/bench/fit/crossover.h"

namespace verbcast {

double medianUs(std::vector<std::int64_t>& nanoseconds) {
    if (nanoseconds.empty()) {
        return 0;
    }
    const auto middle = nanoseconds.begin() + static_cast<std::ptrdiff_t>(nanoseconds.size() / 2);
    std::nth_element(nanoseconds.begin(), middle, nanoseconds.end());
    return static_cast<double>(*middle) / 1000;
}

void addCrossover(BenchReport& report, std::span<const RegisterPoint> points) {
    if (points.empty()) {
        return;
    }
    std::vector<CostPair> costs;
    for (const RegisterPoint& point : points) {
        costs.push_back({point.bytes, point.registerUs + point.deregisterUs, point.copyUs});
    }
    const RegisterPoint& largest = points.back();
    RegisterCrossover crossover;
    crossover.device = largest.device;
    crossover.pages = largest.pages;
    crossover.load = largest.load;
    crossover.bytes = crossoverBytes(costs);
    // From the largest size, where the cost of the call itself is negligible.
    crossover.registerSecondsPerGib =
        largest.registerUs * 1e-6 * static_cast<double>(1ULL << 30) / static_cast<double>(largest.bytes);
    report.crossovers.push_back(crossover);
}

}  // namespace verbcast
