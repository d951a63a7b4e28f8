#include <gtest/gtest.h>

#include "app/bench/av/av_offsets.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kMs = 1'000'000;
constexpr TimestampNs kSecond = 1000 * kMs;

TEST(AvOffsets, ArePositiveWhereSoundIsLate) {
    const AvOffsets offsets = offsetsOf({kSecond, 2 * kSecond, 3 * kSecond},
                                        {kSecond + 5 * kMs, 2 * kSecond - 15 * kMs, 3 * kSecond + 400 * kMs});
    EXPECT_EQ(offsets.ms, (std::vector<double>{5, -15, 400}));
    EXPECT_EQ(offsets.missedFlashes, 0U);
    EXPECT_EQ(offsets.missedPips, 0U);
}

TEST(AvOffsets, AMissedOneSpoilsNoOtherPair) {
    const AvOffsets offsets =
        offsetsOf({kSecond, 3 * kSecond, 4 * kSecond, 5 * kSecond},
                  {kSecond + kMs, 2 * kSecond + kMs, 3 * kSecond + kMs, 5 * kSecond + kMs});
    EXPECT_EQ(offsets.ms, (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(offsets.missedFlashes, 1U);
    EXPECT_EQ(offsets.missedPips, 1U);
}

TEST(AvOffsets, BeforeTheFirstPairAndAfterTheLastNothingIsMissed) {
    const AvOffsets offsets = offsetsOf({kSecond, 2 * kSecond, 3 * kSecond}, {3 * kSecond, 4 * kSecond});
    EXPECT_EQ(offsets.ms, std::vector<double>{0});
    EXPECT_EQ(offsets.missedFlashes + offsets.missedPips, 0U);
    EXPECT_TRUE(offsetsOf({kSecond}, {}).ms.empty());
    EXPECT_TRUE(offsetsOf({kSecond}, {2 * kSecond}).ms.empty());
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
