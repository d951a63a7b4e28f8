#include "core/multicast/group_pace.h"

#include <gtest/gtest.h>

#include <string>

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kGigabit = 1'000'000'000;
constexpr TimestampNs kNow = 1'000'000'000;

TEST(GroupPace, IsThatOfMostInterfacesAndExcludesSlowerOnes) {
    GroupPace pace(40 * kGigabit, 0);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 40e9 / 8 * 0.95, 1e6);
    pace.join(1, kGigabit, "a", kNow);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 1e9 / 8 * 0.95, 1e6) << "nobody else is there";
    pace.join(2, 10 * kGigabit, "b", kNow);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 10e9 / 8 * 0.95, 1e6);
    EXPECT_TRUE(pace.excludes(1));
    EXPECT_FALSE(pace.excludes(2));
    pace.join(3, 0, "c", kNow);  // does not know its rate
    EXPECT_FALSE(pace.excludes(3)) << "it takes what we take";
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 10e9 / 8 * 0.95, 1e6);
    pace.join(4, 400 * kGigabit, "d", kNow);
    pace.join(5, 400 * kGigabit, "e", kNow);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 40e9 / 8 * 0.95, 1e6) << "never above our own";
    EXPECT_TRUE(pace.excludes(2));
    EXPECT_FALSE(pace.excludes(99)) << "unknown";
}

TEST(GroupPace, AHostHasOneVote) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    pace.join(1, 0, "honest", kNow);
    for (std::uint64_t viewer = 2; viewer < 20; ++viewer) {
        pace.join(viewer, 100'000'000, "liar", kNow);
    }
    EXPECT_EQ(pace.bytesPerSecond(), full);
    EXPECT_FALSE(pace.excludes(1));
    EXPECT_TRUE(pace.excludes(2));
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

/// A group by RDMA with many hosts, and one by UDP with few, on one link that takes a byte per nanosecond.
class TwoGroups {
  public:
    TwoGroups(int many, int few) {
        few_.shareLink(many_);
        for (int host = 0; host < many; ++host) {
            many_.join(static_cast<std::uint64_t>(host), 0, std::to_string(host), kNow);
        }
        for (int host = 0; host < few; ++host) {
            few_.join(static_cast<std::uint64_t>(host), 0, "by UDP " + std::to_string(host), kNow);
        }
    }

    struct Bytes {
        double many = 0, few = 0;
    };
    /// In 100 ms, by its part of the link's rate; the group of few always has something to send.
    Bytes send(double wantedByMany) {
        constexpr TimestampNs kTime = 100'000'000;
        constexpr std::uint64_t kBurst = 10'000;
        Bytes sent;
        for (TimestampNs now = kNow; now < kNow + kTime; now += 1'000) {
            if (many_.readyAt() <= now && sent.many < wantedByMany * static_cast<double>(now - kNow)) {
                many_.sent(kBurst, now);
                sent.many += kBurst;
            }
            if (few_.readyAt() <= now) {
                few_.sent(kBurst, now);
                sent.few += kBurst;
            }
        }
        return {sent.many / kTime, sent.few / kTime};
    }

  private:
    GroupPace many_{0, 8 * kGigabit}, few_{0, 8 * kGigabit};
};

TEST(GroupPace, OneViewerWithoutRdmaLeavesTheOthersTheLink) {
    const auto [many, few] = TwoGroups(3, 1).send(1);
    EXPECT_GE(many, 0.94);
    EXPECT_NEAR(few, 0.05, 0.02);
}

TEST(GroupPace, TwoGroupsOfEqualSizeHaveHalfEach) {
    const auto [many, few] = TwoGroups(2, 2).send(1);
    EXPECT_NEAR(many, 0.5, 0.03);
    EXPECT_NEAR(few, 0.5, 0.03);
}

TEST(GroupPace, WhatOneGroupLeavesIsTheOthers) {
    const auto [many, few] = TwoGroups(3, 1).send(0.3);
    EXPECT_NEAR(many, 0.3, 0.02);
    EXPECT_NEAR(few, 0.7, 0.05);
    EXPECT_GE(TwoGroups(3, 1).send(0).few, 0.98) << "the only one";
}

TEST(GroupPace, WhoNamesAnAbsurdRateStopsNobody) {
    GroupPace pace(500'000'000, 0);
    pace.join(1, 1, "a", kNow);
    EXPECT_NEAR(static_cast<double>(pace.bytesPerSecond()), 10e6 / 8 * 0.95, 1e3) << "10 Mbit/s";
    GroupPace fast(100 * kGigabit, 0);
    fast.join(1, 1, "a", kNow);
    EXPECT_NEAR(static_cast<double>(fast.bytesPerSecond()), 1e9 / 8 * 0.95, 1e6) << "a hundredth of ours";
}

TEST(GroupPace, WhatWaitedForASlowViewerDoesNotWaitWhenItIsExcluded) {
    GroupPace pace(10 * kGigabit, 0);
    pace.join(1, 100'000'000, "a", kNow);
    for (int i = 0; i < 100; ++i) {
        pace.sent(60'000, kNow);
    }
    EXPECT_GT(pace.readyAt(), kNow + 400'000'000) << "half a second at the slow viewer's rate";
    pace.join(2, 0, "b", kNow);
    EXPECT_LT(pace.readyAt(), kNow + 1'000'000) << "a burst at the rate of the others";
    EXPECT_GT(pace.readyAt(), kNow);
}

TEST(GroupPace, BytesLeaveAtThatRateWhileFramesAreOver) {
    GroupPace pace(0, 8 * kGigabit);
    pace.join(1, 0, "a", kNow);
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
        pace.join(viewer, 0, std::to_string(viewer), kNow);
    }
    for (int frame = 0; frame < 1000; ++frame) {
        pace.frameOver(1, 1.0, kNow);
        pace.frameOver(2, 0.001, kNow);
        pace.frameOver(3, 0, kNow);
    }
    EXPECT_EQ(pace.bytesPerSecond(), full);
    EXPECT_TRUE(pace.excludes(1));
    EXPECT_FALSE(pace.excludes(2));
}

TEST(GroupPace, WhoLosesARingOfFramesIsNotExcluded) {
    GroupPace pace(10 * kGigabit, 0);
    pace.join(1, 0, "a", kNow);
    pace.join(2, 0, "b", kNow);
    for (int frame = 0; frame < 30; ++frame) {
        pace.frameOver(1, frame < 8 ? 1 : 0, kNow);
        ASSERT_FALSE(pace.excludes(1)) << frame;
    }
}

TEST(GroupPace, WhatAViewerHasLostAloneSlowsNobodyWhoComesLater) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    pace.join(1, 0, "a", kNow);
    for (int frame = 0; frame < 100; ++frame) {
        pace.frameOver(1, 1, kNow);
    }
    EXPECT_LT(pace.bytesPerSecond(), full / 8);
    pace.join(2, 0, "b", kNow);
    EXPECT_EQ(pace.bytesPerSecond(), full);
    EXPECT_TRUE(pace.excludes(1));
}

// Regression: the only viewer, which the group did not reach any more, was served at a sixteenth of the rate.
TEST(GroupPace, WhomNothingReachesIsExcludedWhateverTheOthersLose) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    pace.join(1, 0, "a", kNow);
    for (int frame = 0; frame < 100; ++frame) {
        pace.frameOver(1, frame % 50 == 49 ? 0.5 : 1, kNow);
        ASSERT_FALSE(pace.excludes(1)) << "something came: " << frame;
    }
    for (int frame = 0; frame < 100; ++frame) {
        pace.frameOver(1, GroupPace::kGivenUp, kNow);
    }
    EXPECT_FALSE(pace.excludes(1)) << "of those, something may have come";
    for (int frame = 0; frame < 100; ++frame) {
        pace.frameOver(1, 1, kNow);
    }
    EXPECT_TRUE(pace.excludes(1));
    pace.leave(1, kNow);
    EXPECT_EQ(pace.bytesPerSecond(), full);
}

TEST(GroupPace, SlowsDownWhenMostLoseMuchAndRecovers) {
    GroupPace pace(10 * kGigabit, 0);
    const std::uint64_t full = pace.bytesPerSecond();
    pace.join(1, 0, "a", kNow);
    pace.join(2, 0, "b", kNow);
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
