#include "tests/window/sound/pitch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace verbcast::testing {

std::optional<double> pitchOf(std::span<const float> samples, std::uint32_t rate) {
    std::vector<double> crossings;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        if (samples[i - 1] < 0 && samples[i] >= 0) {
            crossings.push_back(static_cast<double>(i) - samples[i] / (samples[i] - samples[i - 1]));
        }
    }
    if (crossings.size() < 4) {
        return std::nullopt;
    }
    const double period = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
    for (std::size_t i = 1; i < crossings.size(); ++i) {
        if (std::abs(crossings[i] - crossings[i - 1] - period) > 0.1 * period) {
            return std::nullopt;
        }
    }
    return rate / period;
}

/// By a window of Blackman and Harris, which lets through nothing above -92 dB beyond four bins.
double noiseBeside(double pitch, std::span<const float> samples, std::uint32_t rate) {
    const auto count = static_cast<double>(samples.size());
    const double turn = 2 * std::numbers::pi / count;
    std::vector<double> windowed;
    double all = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double angle = turn * static_cast<double>(i);
        const double weight = 0.35875 - 0.48829 * std::cos(angle) + 0.14128 * std::cos(2 * angle) -
                              0.01168 * std::cos(3 * angle);
        windowed.push_back(weight * samples[i]);
        all += windowed.back() * windowed.back();
    }
    double tone = 0;
    const double middle = std::round(pitch * count / rate);
    for (int beside = -6; beside <= 6; ++beside) {
        const double bin = middle + beside;
        double real = 0, imaginary = 0;
        for (std::size_t i = 0; i < windowed.size(); ++i) {
            real += windowed[i] * std::cos(turn * bin * static_cast<double>(i));
            imaginary += windowed[i] * std::sin(turn * bin * static_cast<double>(i));
        }
        tone += 2 * (real * real + imaginary * imaginary) / count;
    }
    return 10 * std::log10(std::max(all - tone, 1e-12 * all) / tone);
}

}  // namespace verbcast::testing
