#include "render/picture_geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace verbcast::testing {
namespace {

VideoFormat formatOf(std::uint32_t width, std::uint32_t height, Rational aspect, std::uint16_t rotation) {
    auto format = tightFormat(width, height, PixelFormat::rgba);
    format.pixelAspect = aspect;
    format.rotation = rotation;
    return format;
}

void expectSize(const VideoFormat& format, double width, double height) {
    EXPECT_DOUBLE_EQ(displaySize(format).width, width);
    EXPECT_DOUBLE_EQ(displaySize(format).height, height);
}

TEST(DisplaySize, AspectNeverShrinksAndRotationSwaps) {
    expectSize(formatOf(1440, 1080, {4, 3}, 0), 1920, 1080);
    expectSize(formatOf(720, 576, {1, 2}, 0), 720, 1152);
    expectSize(formatOf(1440, 1080, {4, 3}, 90), 1080, 1920);
    expectSize(formatOf(1920, 1080, {1, 1}, 180), 1920, 1080);
    expectSize(formatOf(1920, 1080, {0, 1}, 0), 1920, 1080);
}

TEST(TargetRect, LiesOnTheTargetsGrid) {
    const auto format = formatOf(1919, 1079, {1, 1}, 0);
    const auto inside = targetRect(format, {.centreX = 960, .centreY = 540, .scale = 1});
    EXPECT_EQ(inside.left, 1);  // 0.5, as pictureToClip() rounds it
    EXPECT_EQ(inside.top, 1);
    EXPECT_EQ(inside.width, 1919);
    EXPECT_EQ(inside.height, 1079);
    EXPECT_FALSE(inside.covers(1920, 1080));
    const auto beyond = targetRect(format, {.centreX = 900, .centreY = 500, .scale = 1});
    EXPECT_EQ(beyond.left, -59);
    EXPECT_EQ(beyond.top, -39);
    EXPECT_TRUE(beyond.covers(1860, 1040));
    EXPECT_FALSE(beyond.covers(1861, 1040));
    EXPECT_FALSE(beyond.covers(1860, 1041));
}

TEST(FitPlacement, TouchesTheNearerSides) {
    const auto wide = fitPlacement(formatOf(3840, 2160, {1, 1}, 0), 1280, 1000);
    EXPECT_DOUBLE_EQ(wide.scale, 1280.0 / 3840);
    EXPECT_DOUBLE_EQ(wide.centreX, 640);
    EXPECT_DOUBLE_EQ(wide.centreY, 500);
    EXPECT_DOUBLE_EQ(fitPlacement(formatOf(3840, 2160, {1, 1}, 270), 1280, 960).scale, 960.0 / 3840);
}

/// The target pixel, from the top left, of a point in the picture's unit square.
std::pair<double, double> targetOf(const std::array<float, 9>& m, double u, double v, int width, int height) {
    const double x = m[0] * u + m[1] * v + m[2], y = m[3] * u + m[4] * v + m[5];
    return {(x + 1) / 2 * width, (1 - y) / 2 * height};
}

TEST(PictureToClip, PixelForPixelLandsOnThePixelGrid) {
    const auto format = formatOf(101, 51, {1, 1}, 0);
    const auto m = pictureToClip(format, {100, 100, 1}, 200, 200);
    const auto [x, y] = targetOf(m, 0, 0, 200, 200);
    EXPECT_NEAR(x, std::round(x), 1e-4);
    EXPECT_NEAR(y, std::round(y), 1e-4);
    EXPECT_NEAR(x, 49.5, 0.51);
}

TEST(StreamPointAt, UndoesPlacementAspectAndRotation) {
    const int width = 640, height = 400;
    for (const Rational aspect : {Rational{1, 1}, Rational{4, 3}, Rational{1, 2}}) {
        for (const int rotation : {0, 90, 180, 270}) {
            for (const double scale : {0.25, 1.0, 3.0}) {
                const auto format = formatOf(101, 60, aspect, static_cast<std::uint16_t>(rotation));
                const Placement placement{.centreX = 300.3, .centreY = 170.8, .scale = scale};
                const auto m = pictureToClip(format, placement, width, height);
                const auto [x, y] = targetOf(m, 20.0 / 101, 45.0 / 60, width, height);
                const StreamPoint point = streamPointAt(format, placement, x, y);
                EXPECT_NEAR(point.x, 20, 2e-3) << aspect.value() << " " << rotation << " " << scale;
                EXPECT_NEAR(point.y, 45, 2e-3) << aspect.value() << " " << rotation << " " << scale;
            }
        }
    }
}

TEST(StreamPointAt, GoesOnBeyondTheEdges) {
    const StreamPoint point = streamPointAt(formatOf(100, 50, {1, 1}, 0), {100, 100, 2}, -20, 160);
    EXPECT_DOUBLE_EQ(point.x, -10);
    EXPECT_DOUBLE_EQ(point.y, 55);
}

TEST(PictureToClip, QuarterTurnPutsTheTopLeftAtTheTopRight) {
    const auto m = pictureToClip(formatOf(100, 50, {1, 1}, 90), {100, 100, 2}, 200, 200);
    const auto [x, y] = targetOf(m, 0, 0, 200, 200);
    EXPECT_NEAR(x, 150, 1e-4);
    EXPECT_NEAR(y, 0, 1e-4);
}

}  // namespace
}  // namespace verbcast::testing
