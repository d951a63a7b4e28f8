#include "core/base/os/early_wake.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace verbcast::testing {
namespace {

constexpr TimestampNs kPeriod = 16'666'667;

TEST(SpinAllowance, IsASmallPartOfTheTime) {
    SpinAllowance allowance;
    const TimestampNs begin = nowNs();
    TimestampNs spun = 0;
    for (int i = 1; i <= 1000; ++i) {
        const TimestampNs may = allowance.at(begin + i * kPeriod);
        allowance.spend(may);
        spun += may;
    }
    EXPECT_LT(spun, 1000 * kPeriod / SpinAllowance::kShare + 1'000'000);
    EXPECT_GT(spun, 1000 * kPeriod / SpinAllowance::kShare - 1'000'000);
}

TEST(SpinAllowance, IsNotSavedUpForLong) {
    SpinAllowance allowance;
    EXPECT_LE(allowance.at(nowNs() + 3'600'000'000'000), 1'000'000);
}

TEST(SpinAllowance, SpinsForWhatIsDueSoon) {
    SpinAllowance allowance;
    const TimestampNs now = nowNs();
    const TimestampNs until = allowance.spinFor(now + 50'000, now);
    EXPECT_GT(until, now + 50'000);
    EXPECT_LT(until, now + 500'000);
    const TimestampNs left = allowance.at(now);
    allowance.giveBack(until - now - 60'000);
    EXPECT_EQ(allowance.at(now), left + until - now - 60'000);
    allowance.giveBack(-60'000);
    EXPECT_EQ(allowance.at(now), left + until - now - 60'000) << "it came when it was no longer spun for";
}

TEST(SpinAllowance, WhatAPeerSaysMayBeAnything) {
    SpinAllowance allowance;
    const TimestampNs now = nowNs();
    using Limits = std::numeric_limits<TimestampNs>;
    for (const TimestampNs due :
         {Limits::min(), TimestampNs{-1}, TimestampNs{0}, now - 1'000'000, now + 10'000'000, Limits::max()}) {
        EXPECT_EQ(allowance.spinFor(due, now), 0) << due;
    }
    TimestampNs spun = 0;
    for (int i = 0; i < 1000; ++i) {  // as often as it wakes us
        spun += std::max<TimestampNs>(0, allowance.spinFor(now + 900'000, now) - now);
    }
    EXPECT_LE(spun, 1'000'000);
}

TEST(EarlyWake, LearnsHowLateSleepsEnd) {
    EarlyWake early;
    const TimestampNs now = nowNs();
    EXPECT_LT(early.wakeFor(now + kPeriod, now), now + kPeriod);
    for (int i = 0; i < 100; ++i) {
        early.woke(now, now + 200'000);
    }
    const TimestampNs at = early.wakeFor(now + kPeriod, now);
    EXPECT_LT(at + 200'000, now + kPeriod) << "else it would be too late";
    EXPECT_GT(at + 300'000, now + kPeriod) << "else it would spin for long";
}

TEST(EarlyWake, SpinsForLessWhereWakeUpsAreQuick) {
    EarlyWake early;
    const TimestampNs now = nowNs();
    for (int i = 0; i < 100; ++i) {
        early.woke(now, now + 20'000);
    }
    const TimestampNs at = early.wakeFor(now + kPeriod, now);
    EXPECT_LT(at + 45'000, now + kPeriod) << "its own wake-up, and one of a peer";
    EXPECT_GT(at + 55'000, now + kPeriod);
}

TEST(EarlyWake, IsNotForWhatComesTooOften) {
    EarlyWake early;
    const TimestampNs now = nowNs();
    EXPECT_EQ(early.wakeFor(now + 50'000, now), now + 50'000);
    EXPECT_EQ(early.wakeFor(now - 50'000, now), now - 50'000);
}

TEST(EarlyWake, IsNotForWhatIsMadeOnlyWhenItIsDue) {
    EarlyWake early;
    TimestampNs now = nowNs();
    for (int i = 0; i < 100; ++i, now += kPeriod) {
        const TimestampNs at = early.wakeFor(now + kPeriod, now);
        early.woke(at, at + 50'000);
        early.came(now + kPeriod + 2'000'000);
    }
    EXPECT_EQ(early.wakeFor(now + kPeriod, now), now + kPeriod);
    for (int i = 0; i < 100; ++i, now += kPeriod) {
        const TimestampNs at = early.wakeFor(now + kPeriod, now);
        early.woke(at, at + 200'000);  // for which the frame can do nothing
        early.came(std::max(now + kPeriod, at + 200'000) + 5'000);
    }
    EXPECT_LT(early.wakeFor(now + kPeriod, now), now + kPeriod);
}

TEST(EarlyWake, WhatNobodyWaitedForIsNotLate) {
    EarlyWake early;
    const TimestampNs now = nowNs();
    for (int i = 0; i < 100; ++i) {
        early.came(now + i * kPeriod);
    }
    EXPECT_LT(early.wakeFor(now + kPeriod, now), now + kPeriod);
}

TEST(EarlyWake, SpinsForASmallPartOfTheTimeOnly) {
    EarlyWake early;
    TimestampNs now = nowNs();
    int times = 0;
    for (int i = 0; i < 1000; ++i, now += kPeriod) {
        if (early.wakeFor(now + kPeriod, now) < now + kPeriod) {
            ++times;
            early.spun(kPeriod / 20);
        }
    }
    EXPECT_NEAR(times, 1000 / 10, 10);
}

}  // namespace
}  // namespace verbcast::testing
