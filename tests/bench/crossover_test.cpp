#include "app/bench/fit/fit.h"

#include <gtest/gtest.h>

#include <vector>

namespace verbcast::testing {
namespace {

TEST(Crossover, LiesBetweenTwoMeasuredSizes) {
    // 8 us at any size against 1 us per KiB: equal at 8 KiB, halfway between 4 and 16 on a logarithmic scale.
    const std::vector<CostPair> points{{1024, 8, 1}, {4096, 8, 4}, {16384, 8, 16}, {65536, 8, 64}};
    EXPECT_NEAR(static_cast<double>(crossoverBytes(points)), 8192, 1);
}

TEST(Crossover, IsNoneWhereTheLargestIsDearer) {
    EXPECT_EQ(crossoverBytes(std::vector<CostPair>{{1024, 1, 2}, {4096, 9, 3}}), 0U);
    EXPECT_EQ(crossoverBytes(std::vector<CostPair>{{1024, 2, 2}}), 0U);
    EXPECT_EQ(crossoverBytes({}), 0U);
}

TEST(Crossover, IsTheSmallestSizeWhereAllAreCheaper) {
    EXPECT_EQ(crossoverBytes(std::vector<CostPair>{{1024, 1, 2}, {4096, 2, 9}}), 1024U);
}

TEST(Crossover, CountsFromTheLastPlaceWhereItWasDearer) {
    const std::vector<CostPair> points{{1024, 1, 2}, {4096, 8, 4}, {16384, 8, 16}};
    EXPECT_NEAR(static_cast<double>(crossoverBytes(points)), 8192, 1);
}

TEST(Crossover, TakesTheMeasuredSizeWhereBothCostTheSame) {
    EXPECT_EQ(crossoverBytes(std::vector<CostPair>{{4096, 4, 4}, {16384, 4, 16}}), 4096U);
}

}  // namespace
}  // namespace verbcast::testing
