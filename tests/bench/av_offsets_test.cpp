#include <gtest/gtest.h>

#include "app/bench/av/av_offsets.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kMillisecond = 1'000'000;
constexpr TimestampNs kPeriod = 1000 * kMillisecond;

TEST(AvOffsets, ArePositiveWhereSoundIsLate) {
    const AvOffsets offsets = offsetsOf(
        {kPeriod, 2 * kPeriod, 3 * kPeriod},
        {kPeriod + 5 * kMillisecond, 2 * kPeriod - 15 * kMillisecond, 3 * kPeriod + 400 * kMillisecond});
    EXPECT_EQ(offsets.ms, (std::vector<double>{5, -15, 400}));
    EXPECT_EQ(offsets.missedFlashes, 0U);
    EXPECT_EQ(offsets.missedPips, 0U);
}

TEST(AvOffsets, AMissedOneSpoilsNoOtherPair) {
    const AvOffsets offsets = offsetsOf({kPeriod, 3 * kPeriod, 4 * kPeriod, 5 * kPeriod},
                                        {kPeriod + kMillisecond, 2 * kPeriod + kMillisecond,
                                         3 * kPeriod + kMillisecond, 5 * kPeriod + kMillisecond});
    EXPECT_EQ(offsets.ms, (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(offsets.missedFlashes, 1U);
    EXPECT_EQ(offsets.missedPips, 1U);
}

TEST(AvOffsets, BeforeTheFirstPairAndAfterTheLastNothingIsMissed) {
    const AvOffsets offsets = offsetsOf({kPeriod, 2 * kPeriod, 3 * kPeriod}, {3 * kPeriod, 4 * kPeriod});
    EXPECT_EQ(offsets.ms, std::vector<double>{0});
    EXPECT_EQ(offsets.missedFlashes + offsets.missedPips, 0U);
    EXPECT_TRUE(offsetsOf({kPeriod}, {}).ms.empty());
    EXPECT_TRUE(offsetsOf({kPeriod}, {2 * kPeriod}).ms.empty());
}

TEST(AvOffsets, SharesAreOfTheSortedValues) {
    std::vector<double> values;
    for (int i = 200; i > 0; --i) {
        values.push_back(i);
    }
    EXPECT_EQ(shareOf(values, 0.5), 100);
    EXPECT_EQ(shareOf(values, 0.99), 198);
    EXPECT_EQ(shareOf(values, 1), 200);
    EXPECT_EQ(shareOf({7}, 0), 7);
}

}  // namespace
}  // namespace verbcast::testing
