#include "app/bench/fit/fit.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace verbcast::testing {
namespace {

std::vector<LinePoint> exactLine(double intercept, double slope) {
    std::vector<LinePoint> points;
    for (double x = 4096; x <= 64.0 * 1024 * 1024; x *= 4) {
        points.push_back({x, intercept + slope * x});
    }
    return points;
}

TEST(LineFit, FindsAnExactLine) {
    const auto fit = fitRelative(exactLine(12e-6, 1 / 2.5e9));
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->intercept, 12e-6, 1e-12);
    EXPECT_NEAR(fit->slope * 2.5e9, 1, 1e-9);
    EXPECT_NEAR(fit->r2, 1, 1e-9);
}

TEST(LineFit, KeepsTheInterceptWhenLargeBlocksAreNoisy) {
    // 10% of the largest block's time is 2.7 ms, two hundred times t0: without weights, t0 would be lost.
    auto points = exactLine(12e-6, 1 / 2.5e9);
    points.back().y *= 1.1;
    points[points.size() - 2].y *= 0.92;
    const auto fit = fitRelative(points);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->intercept, 12e-6, 1e-6);
    EXPECT_NEAR(fit->slope * 2.5e9, 1, 0.1);
    EXPECT_GT(fit->r2, 0.98);
    EXPECT_LT(fit->r2, 1);
}

TEST(LineFit, AveragesNoise) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(1, 0.05);
    std::vector<LinePoint> points;
    for (int round = 0; round < 200; ++round) {
        for (LinePoint p : exactLine(50e-6, 1 / 10e9)) {
            p.y *= noise(random);
            points.push_back(p);
        }
    }
    const auto fit = fitRelative(points);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->intercept, 50e-6, 1e-6);
    EXPECT_NEAR(fit->slope * 10e9, 1, 0.02);
}

TEST(LineFit, SaysHowLittleALineExplains) {
    const std::vector<LinePoint> zigzag{{1, 1}, {2, 3}, {3, 1}, {4, 3}, {5, 1}};
    const auto fit = fitRelative(zigzag);
    ASSERT_TRUE(fit);
    EXPECT_LT(fit->r2, 0.2);
}

TEST(LineFit, RefusesWhatIsNoLine) {
    EXPECT_FALSE(fitRelative({}));
    EXPECT_FALSE(fitRelative(std::vector<LinePoint>{{1, 1}}));
    EXPECT_FALSE(fitRelative(std::vector<LinePoint>{{2, 1}, {2, 3}, {2, 5}}));
    EXPECT_FALSE(fitRelative(std::vector<LinePoint>{{1, 0}, {2, -1}, {3, 4}}));
}

TEST(LineFit, LeavesOutWhatWasNotMeasured) {
    auto points = exactLine(1e-6, 1e-9);
    points.push_back({1e6, 0});
    points.push_back({2e6, std::numeric_limits<double>::infinity()});
    points.push_back({3e6, std::numeric_limits<double>::quiet_NaN()});
    const auto fit = fitRelative(points);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->intercept, 1e-6, 1e-12);
    EXPECT_NEAR(fit->slope, 1e-9, 1e-15);
}

TEST(LineFit, CallsAConstantALine) {
    const auto fit = fitRelative(std::vector<LinePoint>{{1, 5}, {2, 5}, {3, 5}});
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->intercept, 5, 1e-12);
    EXPECT_NEAR(fit->slope, 0, 1e-12);
}

}  // namespace
}  // namespace verbcast::testing
