// Contrast of two colours: relative luminance and contrast ratio as defined by WCAG 2.1.
#pragma once

#include <QColor>
#include <algorithm>
#include <cmath>

namespace verbcast::testing {

inline constexpr double kReadable = 4.5;  // text, 1.4.3
inline constexpr double kVisible = 3;     // rings and outlines, 1.4.11

inline double luminance(const QColor& colour) {
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

/// From 1 to 21.
inline double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

}  // namespace verbcast::testing
