#include "core/session/group/group_pace.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kGigabit = 1'000'000'000;
constexpr TimestampNs kNow = 1'000'000'000;

TEST(GroupPace, IsThatOfTheSlowestInterface) {
    GroupPace pace(40 * kGigabit, 0);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 40e9 / 8 * 0.95, 1e6);
    pace.join(1, 10 * kGigabit, kNow);
    pace.join(2, 0, kNow);  // does not know its rate
    pace.join(3, kGigabit, kNow);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 1e9 / 8 * 0.95, 1e6);
    pace.leave(3, kNow);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 10e9 / 8 * 0.95, 1e6);
}

TEST(GroupPace, IsNeverAboveTheLimit) {
    EXPECT_EQ(GroupPace(40 * kGigabit, kGigabit).bytesPerSecond(), kGigabit / 8);
    EXPECT_EQ(GroupPace(0, 2 * kGigabit).bytesPerSecond(), kGigabit / 4);
}

TEST(GroupPace, BytesLeaveAtThatRate) {
    GroupPace pace(0, 8 * kGigabit);  // one byte per nanosecond
    TimestampNs now = kNow;
    for (int i = 0; i < 1000; ++i) {
        now = std::max(now, pace.readyAt());
        pace.sent(60'000, now);
    }
    // Apart from the catch-up that is allowed at the beginning.
    EXPECT_NEAR(static_cast<double>(pace.readyAt() - kNow), 60e6, 0.6e6);
}

TEST(GroupPace, WhoNamesAnAbsurdRateStopsNobody) {
    GroupPace pace(0, 0);
    pace.join(1, 1, kNow);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 10e6 / 8 * 0.95, 1e3) << "10 Mbit/s";
    GroupPace fast(100 * kGigabit, 0);
    fast.join(1, 1, kNow);
    EXPECT_NEAR(static_cast<double>(fast.bytesPerSecond()), 1e9 / 8 * 0.95, 1e6) << "a hundredth of ours";
}

TEST(GroupPace, WhatWaitedForASlowViewerDoesNotWaitWhenItHasLeft) {
    GroupPace pace(10 * kGigabit, 0);
    pace.join(1, 0, kNow);
    pace.join(2, 100'000'000, kNow);
    for (int i = 0; i < 100; ++i) {
        pace.sent(60'000, kNow);
    }
    EXPECT_GT(pace.readyAt(), kNow + 400'000'000) << "half a second at the slow viewer's rate";
    pace.leave(2, kNow);
    EXPECT_LT(pace.readyAt(), kNow + 1'000'000) << "a burst at the rate of the others";
    EXPECT_GT(pace.readyAt(), kNow);
}

TEST(GroupPace, BytesLeaveAtThatRateWhileFramesAreOver) {
    GroupPace pace(0, 8 * kGigabit);
    pace.join(1, 0, kNow);
    TimestampNs now = kNow;
    for (int i = 0; i < 1000; ++i) {
        now = std::max(now, pace.readyAt() - GroupPace::kAhead);
        pace.sent(60'000, now);
        pace.frameOver(1, 0, now);
    }
    EXPECT_NEAR(static_cast<double>(pace.readyAt() - kNow), 60e6, 0.6e6);
}

TEST(GroupPace, OneBadViewerCostsTheOthersNothing) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    for (std::uint64_t viewer = 1; viewer <= 3; ++viewer) {
        pace.join(viewer, 0, kNow);
    }
    for (int frame = 0; frame < 1000; ++frame) {
        pace.frameOver(1, 1.0, kNow);
        pace.frameOver(2, 0.001, kNow);
        pace.frameOver(3, 0, kNow);
    }
    EXPECT_EQ(pace.bytesPerSecond(), full);
}

TEST(GroupPace, SlowsDownWhenMostLoseMuchAndRecovers) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    pace.join(1, 0, kNow);
    pace.join(2, 0, kNow);
    for (int frame = 0; frame < 200; ++frame) {
        pace.frameOver(1, 0.5, kNow);
        pace.frameOver(2, 0.4, kNow);
    }
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), static_cast<double>(full) / 16,
                static_cast<double>(full) / 100);
    for (int frame = 0; frame < 200; ++frame) {
        pace.frameOver(1, 0, kNow);
        pace.frameOver(2, 0.01, kNow);
    }
    EXPECT_EQ(pace.bytesPerSecond(), full);
    pace.frameOver(99, 1.0, kNow);  // unknown viewers are ignored
    EXPECT_EQ(pace.bytesPerSecond(), full);
}

}  // namespace
}  // namespace verbcast::testing
