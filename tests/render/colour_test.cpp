#include "render/colour.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

VideoFormat formatOf(PixelFormat pixelFormat, Colour colour) {
    auto format = tightFormat(64, 64, pixelFormat);
    format.colour = colour;
    return format;
}

Vector3 apply(const ColourPlan& plan, Vector3 components) {
    Vector3 result = plan.signalOffset;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            result[row] += plan.signalFromComponents[row][column] * components[column];
        }
    }
    return result;
}

void expectSignal(const ColourPlan& plan, Vector3 components, Vector3 expected) {
    const auto actual = apply(plan, components);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(actual[i], expected[i], 1e-3) << "component " << i;
    }
}

TEST(ColourPlan, LimitedRangeEndsAreBlackAndWhite) {
    const auto eight = planColour(formatOf(PixelFormat::yuv420p, {.matrix = 1}), 255);
    expectSignal(eight, {16 / 255.0, 128 / 255.0, 128 / 255.0}, {0, 0, 0});
    expectSignal(eight, {235 / 255.0, 128 / 255.0, 128 / 255.0}, {1, 1, 1});
    const auto ten = planColour(formatOf(PixelFormat::yuv420p10le, {.matrix = 1}), 65535);
    expectSignal(ten, {64 / 65535.0, 512 / 65535.0, 512 / 65535.0}, {0, 0, 0});
    expectSignal(ten, {940 / 65535.0, 512 / 65535.0, 512 / 65535.0}, {1, 1, 1});
    const auto high = planColour(formatOf(PixelFormat::p010le, {.matrix = 1}), 65535.0 / 64);
    expectSignal(high, {940 * 64 / 65535.0, 512 * 64 / 65535.0, 512 * 64 / 65535.0}, {1, 1, 1});
}

// The code values of 100 % red bars: BT.601 and BT.709 as in SMPTE RP 219 and EBU Tech 3325, BT.2020 by its
// formula.
TEST(ColourPlan, RedBarsOfEachMatrixAreRed) {
    const auto red = [](std::uint8_t matrix, double y, double cb, double cr) {
        const auto plan = planColour(formatOf(PixelFormat::yuv444p, {.matrix = matrix}), 255);
        const auto signal = apply(plan, {y / 255, cb / 255, cr / 255});
        EXPECT_NEAR(signal[0], 1, 0.006);
        EXPECT_NEAR(signal[1], 0, 0.006);
        EXPECT_NEAR(signal[2], 0, 0.006);
    };
    red(6, 81, 90, 240);
    red(1, 63, 102, 240);
    red(9, 74, 97, 240);
}

TEST(ColourPlan, PlainRgbNeedsNothing) {
    EXPECT_EQ(planColour(formatOf(PixelFormat::rgba, {.matrix = 0, .fullRange = true}), 255).path,
              ColourPath::Plain);
    EXPECT_EQ(planColour(formatOf(PixelFormat::gray, {.fullRange = true}), 255).path, ColourPath::Plain);
    const auto limited = planColour(formatOf(PixelFormat::gray, {.fullRange = false}), 255);
    EXPECT_EQ(limited.path, ColourPath::Matrix);
    expectSignal(limited, {235 / 255.0, 16 / 255.0, 16 / 255.0}, {1, 0, 0});
}

TEST(ColourPlan, MatrixZeroOfPlanarFormatsIsGbr) {
    const auto plan = planColour(formatOf(PixelFormat::yuv444p, {.matrix = 0, .fullRange = true}), 255);
    expectSignal(plan, {0.25, 0.5, 0.75}, {0.75, 0.25, 0.5});
}

TEST(ColourPlan, HdrIsRecognised) {
    EXPECT_EQ(planColour(formatOf(PixelFormat::p010le, {.transfer = 16}), 1).path, ColourPath::Pq);
    EXPECT_EQ(planColour(formatOf(PixelFormat::p010le, {.transfer = 18}), 1).path, ColourPath::Hlg);
    EXPECT_EQ(planColour(formatOf(PixelFormat::p010le, {.primaries = 9, .transfer = 14}), 1).path,
              ColourPath::WideGamut);
}

TEST(ColourPlan, HdrThatNamesNoMatrixHasThatOfBt2020) {
    const auto rows = [](std::uint8_t matrix) {
        return planColour(formatOf(PixelFormat::p010le, {.transfer = 16, .matrix = matrix}), 1)
            .signalFromComponents;
    };
    EXPECT_EQ(rows(2), rows(9));
    EXPECT_NE(rows(2), rows(1));
}

TEST(ChromaSite, UnspecifiedIsLeftAndFullChromaHasNone) {
    const auto at = [](PixelFormat format, std::uint8_t location) {
        const auto site = chromaSite(formatOf(format, {.chromaLocation = location}));
        return std::pair(site.x, site.y);
    };
    EXPECT_EQ(at(PixelFormat::yuv420p, 0), std::pair(0.0, 0.5));
    EXPECT_EQ(at(PixelFormat::yuv420p, 1), std::pair(0.0, 0.5));
    EXPECT_EQ(at(PixelFormat::yuv420p, 2), std::pair(0.5, 0.5));
    EXPECT_EQ(at(PixelFormat::yuv420p, 3), std::pair(0.0, 0.0));
    EXPECT_EQ(at(PixelFormat::yuv420p, 200), std::pair(0.0, 0.5)) << "unknown values count as unspecified";
    EXPECT_EQ(at(PixelFormat::uyvy422, 2), std::pair(0.5, 0.0));
    EXPECT_EQ(at(PixelFormat::yuv444p, 2), std::pair(0.0, 0.0));
}

}  // namespace
}  // namespace verbcast::testing
