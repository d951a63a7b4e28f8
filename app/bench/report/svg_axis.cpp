#include "app/bench/report/svg_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/bench/report/report_text.h"

namespace verbcast::svg {
namespace {

/// The nearest of 1, 2 or 5 times a power of ten that is at least `value`, or at most.
double roundUp(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    const double factor = value / power * (1 - 1e-9);
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

double roundDown(double value) {
    return 1 / roundUp(1 / value);
}

/// The value itself, its logarithm, or its number of nines (infinite for 1).
double transformed(Scale scale, double value) {
    switch (scale) {
        case Scale::Linear:
            return value;
        case Scale::Log10:
            return std::log10(value);
        case Scale::Log2:
            return std::log2(value);
        case Scale::Nines:
            return value >= 1 ? std::numeric_limits<double>::infinity() : -std::log10(1 - value);
    }
    return value;
}

std::string scaled(double value, double unit, const char* name) {
    return fmt::format("{:.6g}{}", value / unit, name);
}

}  // namespace

double Mapping::operator()(double value) const {
    const double t = std::clamp(transformed(scale, value), least, most);
    return from + (t - least) / (most - least) * (to - from);
}

bool canBeShown(Scale scale, double value) {
    const bool logarithmic = scale == Scale::Log10 || scale == Scale::Log2;
    return std::isfinite(value) && (!logarithmic || value > 0) && (scale != Scale::Nines || value >= 0);
}

Mapping mappingFor(Scale scale, const std::vector<double>& values, double from, double to) {
    const auto [low, high] = std::ranges::minmax(values);
    Mapping mapping{scale, 0, 1, from, to};
    switch (scale) {
        case Scale::Linear:
            if (high > 0) {
                const double step = roundUp(high / 5);
                mapping.most = std::ceil(high / step - 1e-9) * step;
            }
            break;
        case Scale::Log10:
            mapping.least = std::log10(roundDown(low));
            mapping.most = std::log10(roundUp(high));
            break;
        case Scale::Log2:
            mapping.least = std::floor(std::log2(low) + 1e-9);
            mapping.most = std::ceil(std::log2(high) - 1e-9);
            break;
        case Scale::Nines:
            mapping.most = 2;
            for (const double value : values) {
                const double nines = value < 1 ? std::ceil(transformed(scale, value) - 1e-6) : 0;
                mapping.most = std::clamp(nines, mapping.most, 6.0);
            }
            break;
    }
    if (mapping.most - mapping.least < 1e-9) {
        mapping.most = mapping.least + 1;
    }
    return mapping;
}

std::vector<double> ticksOf(const Mapping& mapping) {
    constexpr double kLittle = 1e-9;
    std::vector<double> ticks;
    const double least = mapping.least, most = mapping.most + kLittle;
    switch (mapping.scale) {
        case Scale::Linear: {
            const double step = roundUp(mapping.most / 5);
            for (int i = 0; i * step <= mapping.most * (1 + kLittle); ++i) {
                ticks.push_back(i * step);
            }
            break;
        }
        case Scale::Log10:
            for (double power = std::floor(least); power <= most; ++power) {
                for (const double factor : {1.0, 2.0, 5.0}) {
                    const double t = power + std::log10(factor);
                    if (t > least - kLittle && t < most && (factor == 1 || most - least <= 2.5)) {
                        ticks.push_back(factor * std::pow(10, power));
                    }
                }
            }
            break;
        case Scale::Log2:
            for (double t = least; t <= most; t += std::ceil((mapping.most - least) / 10)) {
                ticks.push_back(std::exp2(t));
            }
            break;
        case Scale::Nines:
            ticks = {0, 0.5};
            for (int nines = 1; nines <= most; ++nines) {
                ticks.push_back(1 - std::pow(10, -nines));
            }
            break;
    }
    return ticks;
}

std::string tickText(const Axis& axis, double value) {
    if (axis.scale == Scale::Nines) {
        // 1 - 10^-n, shown with as many digits as it has nines.
        const int digits = std::max(0, static_cast<int>(std::lround(-std::log10(1 - value))) - 2);
        return fmt::format("{:.{}f}%", value * 100, value < 0.99 ? 0 : digits);
    }
    if (axis.unit == Unit::Bytes) {
        return bytesText(static_cast<std::uint64_t>(std::max(0.0, value)));
    }
    if (axis.unit == Unit::Microseconds) {
        return value == 0     ? "0"
               : value >= 1e6 ? scaled(value, 1e6, " s")
               : value >= 1e3 ? scaled(value, 1e3, " ms")
               : value < 1    ? scaled(value, 1e-3, " ns")
                              : scaled(value, 1, " \u00b5s");
    }
    return value >= 1e6   ? scaled(value, 1e6, "M")
           : value >= 1e4 ? scaled(value, 1e3, "k")
                          : scaled(value, 1, "");
}

}  // namespace verbcast::svg
