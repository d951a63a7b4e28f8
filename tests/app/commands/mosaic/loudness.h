// How much of a tone there is in some sound.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <span>

namespace verbcast::testing {

/// The amplitude of the sine of that frequency; exact for a whole number of its periods.
inline double amplitudeOf(double hertz, std::span<const float> samples, double rate) {
    std::complex<double> sum;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        sum += std::polar(static_cast<double>(samples[i]),
                          -2 * std::numbers::pi * hertz * static_cast<double>(i) / rate);
    }
    return 2 * std::abs(sum) / static_cast<double>(samples.size());
}

}  // namespace verbcast::testing
