#include "app/bench/report/svg_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/bench/report/report_text.h"

namespace verbcast::svg {
namespace {

/// The smallest of 1, 2 or 5 times a power of ten that is at least `value`.
double roundUp(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= value * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

double roundDown(double value) {
    const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
    for (const double factor : {5.0, 2.0}) {
        if (factor * power <= value * (1 + 1e-9)) {
            return factor * power;
        }
    }
    return power;
}

double linearStep(double most, int ticks) {
    return roundUp(most / ticks);
}

}  // namespace

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

double Mapping::operator()(double value) const {
    const double t = std::clamp(transformed(scale_, value), least_, most_);
    return from_ + (t - least_) / (most_ - least_) * (to_ - from_);
}

bool canBeShown(Scale scale, double value) {
    const bool logarithmic = scale == Scale::Log10 || scale == Scale::Log2;
    return std::isfinite(value) && (!logarithmic || value > 0) && (scale != Scale::Nines || value >= 0);
}

Mapping mappingFor(Scale scale, const std::vector<double>& values, double from, double to) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    double least = 0, most = 1;
    switch (scale) {
        case Scale::Linear:
            if (*high > 0) {
                const double step = linearStep(*high, 5);
                most = std::ceil(*high / step - 1e-9) * step;
            }
            break;
        case Scale::Log10:
            least = std::log10(roundDown(*low));
            most = std::log10(roundUp(*high));
            break;
        case Scale::Log2:
            least = std::floor(std::log2(*low) + 1e-9);
            most = std::ceil(std::log2(*high) - 1e-9);
            break;
        case Scale::Nines:
            most = 2;
            for (const double value : values) {
                if (value < 1) {
                    most = std::max(most, std::ceil(transformed(scale, value) - 1e-6));
                }
            }
            most = std::min(most, 6.0);
            break;
    }
    if (most - least < 1e-9) {
        most = least + 1;
    }
    return {scale, least, most, from, to};
}

std::vector<double> ticksOf(const Mapping& mapping) {
    std::vector<double> ticks;
    const double least = mapping.least(), most = mapping.most();
    switch (mapping.scale()) {
        case Scale::Linear: {
            const double step = linearStep(most, 5);
            for (int i = 0; i * step <= most * (1 + 1e-9); ++i) {
                ticks.push_back(i * step);
            }
            break;
        }
        case Scale::Log10:
            for (int power = static_cast<int>(std::floor(least)); power <= most + 1e-9; ++power) {
                for (const double factor : {1.0, 2.0, 5.0}) {
                    const double t = power + std::log10(factor);
                    if (t > least - 1e-9 && t < most + 1e-9 && (factor == 1 || most - least <= 2.5)) {
                        ticks.push_back(factor * std::pow(10, power));
                    }
                }
            }
            break;
        case Scale::Log2: {
            const double step = std::ceil((most - least) / 10);
            for (int i = 0; least + i * step <= most + 1e-9; ++i) {
                ticks.push_back(std::exp2(least + i * step));
            }
            break;
        }
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
        const double percent = value * 100;
        const int digits = std::max(0, static_cast<int>(std::lround(-std::log10(1 - value))) - 2);
        return fmt::format("{:.{}f}%", percent, value < 0.99 ? 0 : digits);
    }
    if (axis.unit == Unit::Bytes) {
        return bytesText(static_cast<std::uint64_t>(std::max(0.0, value)));
    }
    const auto trimmed = [](double v) { return fmt::format("{:.6g}", v); };
    if (axis.unit == Unit::Microseconds) {
        if (value == 0) {
            return "0";
        }
        return value >= 1e6   ? trimmed(value / 1e6) + " s"
               : value >= 1e3 ? trimmed(value / 1e3) + " ms"
               : value < 1    ? trimmed(value * 1e3) + " ns"
                              : trimmed(value) + " \u00b5s";
    }
    return value >= 1e6   ? trimmed(value / 1e6) + "M"
           : value >= 1e4 ? trimmed(value / 1e3) + "k"
                          : trimmed(value);
}

}  // namespace verbcast::svg
