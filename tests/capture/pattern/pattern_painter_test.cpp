// What each pattern looks like, pixel by pixel, against its definition.
#include "capture/pattern/pattern_painter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

namespace verbcast::testing {
namespace {

struct Size {
    std::uint32_t width, height;
};
constexpr Size kSizes[] = {{1280, 720}, {3840, 2160}, {1920, 1080}, {720, 576}, {1366, 768}, {640, 360},
                           {333, 240},  {127, 95},    {17, 11},     {16, 16},   {5, 3},      {2, 2}};

using Colour3 = std::array<double, 3>;
using Reference = Colour3 (*)(std::uint32_t x, std::uint32_t y, Size size);

constexpr Colour3 grey(double level) {
    return {level, level, level};
}

/// The pixel nearest to an edge of RP 219, `bars` bar widths (3/28 of the width each) after the left panel.
std::int64_t edge(double bars, std::uint32_t width) {
    // 1/8 + bars * 3/28 = (35 + 30 * bars) / 280; bars has one decimal at most.
    const auto numerator = static_cast<std::int64_t>(350 + std::llround(300 * bars));
    return (2 * numerator * width + 2800) / 5600;
}

/// Positions in bar widths after the left panel; the right panel begins at 7.
struct Part {
    double begin;
    Colour3 colour;
};

Colour3 within(const std::vector<Part>& parts, std::uint32_t x, std::uint32_t width, Colour3 leftPanel) {
    Colour3 colour = leftPanel;
    for (const Part& part : parts) {
        colour = std::int64_t{x} >= edge(part.begin, width) ? part.colour : colour;
    }
    return colour;
}

Colour3 bars(std::uint32_t x, std::uint32_t y, Size size) {
    constexpr double k = 0.75;
    const double height = size.height;
    if (12.0 * y < 7 * height) {
        return within({{0, {k, k, k}},
                       {1, {k, k, 0}},
                       {2, {0, k, k}},
                       {3, {0, k, 0}},
                       {4, {k, 0, k}},
                       {5, {k, 0, 0}},
                       {6, {0, 0, k}},
                       {7, grey(0.4)}},
                      x, size.width, grey(0.4));
    }
    if (12.0 * y < 8 * height) {
        return within({{0, grey(1)}, {1, grey(k)}, {7, {0, 0, 1}}}, x, size.width, {0, 1, 1});
    }
    if (12.0 * y < 9 * height) {
        const std::int64_t begin = edge(0, size.width), end = edge(6, size.width);
        const double level = static_cast<double>(std::int64_t{x} - begin) /
                             static_cast<double>(std::max<std::int64_t>(1, end - begin));
        return within({{0, grey(level)}, {6, grey(1)}, {7, {1, 0, 0}}}, x, size.width, {1, 1, 0});
    }
    return within({{0, grey(0)},
                   {1.5, grey(1)},
                   {3.5, grey(0)},
                   {4.7, grey(0.02)},
                   {5, grey(0)},
                   {5.3, grey(0.04)},
                   {5.6, grey(0)},
                   {7, grey(0.15)}},
                  x, size.width, grey(0.15));
}

double cosine(double turns) {
    return 0.5 + 0.5 * std::cos(2 * std::numbers::pi * turns);
}

/// One turn in 768 pixels; the components are a third of a turn apart; darker towards the bottom.
Colour3 gradient(std::uint32_t x, std::uint32_t y, Size size) {
    const double light = 1 - 0.75 * y / size.height;
    const double turns = x / 768.0;
    return {light * cosine(turns), light * cosine(turns + 1.0 / 3), light * cosine(turns + 2.0 / 3)};
}

/// MurmurHash3's finaliser of the position, 16 bits per component.
Colour3 noise(std::uint32_t x, std::uint32_t y, Size) {
    std::uint64_t bits = (std::uint64_t{y} << 32) + x;
    for (const std::uint64_t factor : {0xFF51AFD7ED558CCDULL, 0xC4CEB9FE1A85EC53ULL}) {
        bits ^= bits >> 33;
        bits *= factor;
    }
    bits ^= bits >> 33;
    const auto component = [&](int shift) { return static_cast<double>((bits >> shift) % 65536) / 65535; };
    return {component(0), component(16), component(32)};
}

/// r^2 / (2 * width) turns around the middle of the canvas.
Colour3 zone(std::uint32_t x, std::uint32_t y, Size size) {
    const PatternOffset reach = patternReach(PatternKind::Zone);
    const double dx = static_cast<double>(x) - std::floor((size.width + reach.x) / 2.0);
    const double dy = static_cast<double>(y) - std::floor((size.height + reach.y) / 2.0);
    return grey(cosine((dx * dx + dy * dy) / (2.0 * size.width)));
}

Colour3 counter(std::uint32_t, std::uint32_t y, Size size) {
    const double depth = static_cast<double>(y) / size.height;
    return {0.05, 0.08 + 0.1 * depth, 0.14 + 0.22 * depth};
}

Colour3 black(std::uint32_t, std::uint32_t, Size) {
    return grey(0);
}

/// All rows of a small picture; of a large one a sample, and the rows on both sides of RP 219's edges.
std::set<std::uint32_t> rowsOf(std::uint32_t height) {
    std::set<std::uint32_t> rows;
    for (std::uint32_t y = 0; y < height; y += 1 + height / 64) {
        rows.insert(y);
    }
    for (const std::uint32_t band : {7, 8, 9, 12}) {
        for (const std::uint32_t y : {band * height / 12 - 1, band * height / 12}) {
            rows.insert(std::min(y, height - 1));
        }
    }
    return rows;
}

struct Case {
    PatternKind kind;
    Reference reference;
    double tolerance;  ///< tables of 4096 cosines: a third of a step of 8 bits
};

class PatternPainter : public ::testing::TestWithParam<Case> {};

TEST_P(PatternPainter, PaintsEachPixelAtEverySizeAsDefined) {
    const Case& tested = GetParam();
    for (const Size size : kSizes) {
        SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
        const RowPainter paint = patternPainter(tested.kind, size.width, size.height);
        // As wide as the canvas, which extends beyond the frame.
        const std::size_t width = size.width + patternReach(tested.kind).x + Canvas::kSlack;
        std::vector<float> red(width), green(width), blue(width);
        for (const std::uint32_t y : rowsOf(size.height)) {
            for (std::vector<float>* component : {&red, &green, &blue}) {
                std::fill(component->begin(), component->end(), -1.0F);  // makes unwritten pixels fail
            }
            paint(y, {red, green, blue});
            for (std::uint32_t x = 0; x < size.width; ++x) {
                const Colour3 expected = tested.reference(x, y, size);
                const Colour3 painted{red[x], green[x], blue[x]};
                for (std::size_t c = 0; c < 3; ++c) {
                    ASSERT_NEAR(painted[c], expected[c], tested.tolerance)
                        << "column " << x << ", row " << y << ", component " << c;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, PatternPainter,
    ::testing::Values(Case{PatternKind::Bars, bars, 1e-6}, Case{PatternKind::Gradient, gradient, 1.6e-3},
                      Case{PatternKind::Noise, noise, 1e-6}, Case{PatternKind::Zone, zone, 1.6e-3},
                      Case{PatternKind::Counter, counter, 1e-6}, Case{PatternKind::Flash, black, 0}),
    [](const auto& test) { return std::string(patternKindName(test.param.kind)); });

}  // namespace
}  // namespace verbcast::testing
