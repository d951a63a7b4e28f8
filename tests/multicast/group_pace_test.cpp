#include "core/session/group/group_pace.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kGigabit = 1'000'000'000;

TEST(GroupPace, IsThatOfTheSlowestInterface) {
    GroupPace pace(40 * kGigabit, 0);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 40e9 / 8 * 0.95, 1e6);
    pace.join(1, 10 * kGigabit);
    pace.join(2, 0);  // does not know
    pace.join(3, kGigabit);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 1e9 / 8 * 0.95, 1e6);
    pace.leave(3);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 10e9 / 8 * 0.95, 1e6);
}

TEST(GroupPace, IsNeverAboveTheLimit) {
    EXPECT_EQ(GroupPace(40 * kGigabit, kGigabit).bytesPerSecond(), kGigabit / 8);
    EXPECT_EQ(GroupPace(0, 2 * kGigabit).bytesPerSecond(), kGigabit / 4);
}

TEST(GroupPace, BytesLeaveAtThatRate) {
    GroupPace pace(0, 8 * kGigabit);  // a byte in a nanosecond
    TimestampNs now = 1'000'000'000;
    for (int i = 0; i < 1000; ++i) {
        now = std::max(now, pace.readyAt());
        pace.sent(60'000, now);
    }
    // As far as what was late at the beginning.
    EXPECT_NEAR(static_cast<double>(pace.readyAt() - 1'000'000'000), 60e6, 0.6e6);
}

TEST(GroupPace, OneBadViewerCostsTheOthersNothing) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    for (std::uint64_t viewer = 1; viewer <= 3; ++viewer) {
        pace.join(viewer, 0);
    }
    for (int frame = 0; frame < 1000; ++frame) {
        pace.frameOver(1, 1.0);
        pace.frameOver(2, 0.001);
        pace.frameOver(3, 0);
    }
    EXPECT_EQ(pace.bytesPerSecond(), full);
}

TEST(GroupPace, SlowsDownWhenMostLoseMuchAndRecovers) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    pace.join(1, 0);
    pace.join(2, 0);
    for (int frame = 0; frame < 200; ++frame) {
        pace.frameOver(1, 0.5);
        pace.frameOver(2, 0.4);
    }
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), static_cast<double>(full) / 16,
                static_cast<double>(full) / 100);
    for (int frame = 0; frame < 200; ++frame) {
        pace.frameOver(1, 0);
        pace.frameOver(2, 0.01);
    }
    EXPECT_EQ(pace.bytesPerSecond(), full);
    pace.frameOver(99, 1.0);  // who is not there is not heard
    EXPECT_EQ(pace.bytesPerSecond(), full);
}

}  // namespace
}  // namespace verbcast::testing
