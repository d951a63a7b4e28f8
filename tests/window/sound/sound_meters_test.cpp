#include "app/window/sound/sound_meters.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;

TEST(SoundMeters, ShowPeaksInDecibelsBelowFullScale) {
    SoundMeters meters;
    meters.add({1, 0.5F, 0.1F, 0, 2}, kSecond);
    EXPECT_EQ(meters.channels(), 5U);
    EXPECT_EQ(meters.level(0), 0);
    EXPECT_NEAR(meters.level(1), -6.02, 0.01);
    EXPECT_NEAR(meters.level(2), -20, 0.01);
    EXPECT_EQ(meters.level(3), SoundMeters::kFloor);
    EXPECT_EQ(meters.level(4), 0) << "more than full scale is full scale";
}

TEST(SoundMeters, FallAsProgrammeMetersDo) {
    SoundMeters meters;
    meters.add({1}, kSecond);
    meters.add({0}, kSecond + 1'700'000'000);
    EXPECT_NEAR(meters.level(0), -20, 0.01);
    meters.add({0.5F}, kSecond + 1'700'000'001);
    EXPECT_NEAR(meters.level(0), -6.02, 0.01) << "and rise at once";
    meters.add({}, 100 * kSecond);
    EXPECT_EQ(meters.level(0), SoundMeters::kFloor) << "while nothing is played, too";
}

TEST(SoundMeters, BeginAnewWithOtherChannels) {
    SoundMeters meters;
    meters.add({1, 1}, kSecond);
    meters.add({0.1F}, kSecond + 1);
    EXPECT_EQ(meters.channels(), 1U);
    EXPECT_NEAR(meters.level(0), -20, 0.01);
    meters.add(std::vector<float>(64, 1.0F), kSecond + 2);
    EXPECT_EQ(meters.channels(), 64U);
    EXPECT_EQ(meters.level(SoundMeters::kMaxBars - 1), 0);
}

}  // namespace
}  // namespace verbcast::testing
