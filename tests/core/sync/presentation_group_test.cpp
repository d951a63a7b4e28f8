// Displays with simulated clocks: when they are told to show, which ones are waited for, and what is refused.
#include "core/sync/presentation_group.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kGroupMs = 1'000'000;
constexpr TimestampNs kInterval = 16 * kGroupMs;

struct ToldDisplay final : GroupDisplay {
    std::vector<PresentFrame> told;
    void present(const PresentFrame& message) noexcept override {
        if (!told.empty()) {
            EXPECT_GE(message.sequence, told.back().sequence) << "a display refuses what goes back";
        }
        told.push_back(message);
    }
    /// The last order that has a time.
    PresentFrame order() const {
        PresentFrame last;
        for (const PresentFrame& each : told) {
            last = each.due != 0 ? each : last;
        }
        return last;
    }
};

class Group : public ::testing::Test {
  protected:
    void begin(SyncMode mode, bool lossless = false) {
        group_ = std::make_unique<PresentationGroup>(PresentationOptions{
            .mode = mode, .patience = std::chrono::milliseconds(900), .slots = 8, .lossless = lossless});
    }
    void join(PresentationGroup::Id id, std::uint64_t instance = 0) {
        group_->join(id, instance, "display" + std::to_string(id), 8, displays_[id]);
    }
    /// With displays 1 to `displays`, which wait for each other.
    void hold(PresentationGroup::Id displays) {
        begin(SyncMode::Hold);
        for (PresentationGroup::Id id = 1; id <= displays; ++id) {
            join(id);
        }
    }
    /// Offers a frame that is sent to these displays.
    FrameInfo offer(const std::vector<PresentationGroup::Id>& to) {
        FrameInfo info;
        info.sequence = next_++;
        info.submittedAt = now_;
        offered_ = group_->offer(info, kInterval);
        if (offered_) {
            for (const auto id : to) {
                group_->sent(id, info.sequence);
            }
        }
        return info;
    }
    void ready(PresentationGroup::Id id, std::uint64_t sequence) { group_->ready(id, sequence, now_); }
    void shown(PresentationGroup::Id id, std::uint64_t sequence, TimestampNs due, TimestampNs at,
               TimestampNs couldAt) {
        now_ = std::max(now_, at);
        group_->presented(id,
                          {.sequence = sequence,
                           .shownAt = at,
                           .due = due,
                           .couldAt = couldAt,
                           .by = ShownBy::Timer,
                           .clock = ClockBy::SameHost},
                          now_);
    }
    /// All displays prepare and show one frame, the second display later by `skew`.
    void showOne(TimestampNs skew) {
        std::vector<PresentationGroup::Id> all;
        for (const auto& [id, display] : displays_) {
            all.push_back(id);
        }
        const FrameInfo info = offer(all);
        now_ += 2 * kGroupMs;
        for (const auto id : all) {
            ready(id, info.sequence);
        }
        const TimestampNs could = now_ + kGroupMs / 10;
        const TimestampNs due = displays_[all.front()].order().due;
        ASSERT_EQ(displays_[all.front()].order().sequence, info.sequence);
        for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_EQ(displays_[all[i]].order().due, due);
            shown(all[i], info.sequence, due, due + static_cast<TimestampNs>(i) * skew, could);
        }
        now_ = std::max(now_, info.submittedAt + kInterval);
    }

    std::unique_ptr<PresentationGroup> group_;
    std::map<PresentationGroup::Id, ToldDisplay> displays_;
    TimestampNs now_ = 1'000'000 * kGroupMs;
    std::uint64_t next_ = 0;
    bool offered_ = false;
};

TEST_F(Group, AllAreToldTheSameTimeOnceAllAreReady) {
    hold(2);
    offer({1, 2});
    ready(1, 0);
    shown(1, 0, displays_[1].order().due, displays_[1].order().due, now_);  // the only display so far
    ready(2, 0);
    offer({1, 2});
    ready(2, 1);
    EXPECT_NE(displays_[2].order().sequence, 1U) << "the first display is not ready";
    ready(1, 1);
    EXPECT_EQ(displays_[1].order().sequence, 1U);
    EXPECT_EQ(displays_[2].order().sequence, 1U);
    EXPECT_EQ(displays_[1].order().due, displays_[2].order().due);
    EXPECT_GT(displays_[1].order().due, now_);
}

TEST_F(Group, TheDelayIsTheSmallestThatHoldsAndAMillisecond) {
    hold(2);
    for (int i = 0; i < 300; ++i) {
        showOne(0);
    }
    const FrameLockStats stats = group_->stats();
    EXPECT_NEAR(stats.smallestDelayMs, 2.1 + 1, 0.01);
    EXPECT_NEAR(stats.delayMs, stats.smallestDelayMs, 0.2);
    EXPECT_NEAR(stats.longestDelayMs, 4 * 16, 0.01);
    EXPECT_EQ(stats.displays, 2U);
    EXPECT_EQ(stats.framesWithout, 0U);
    EXPECT_GE(stats.frames, 298U);
}

TEST_F(Group, SkewIsTheTimeFromTheFirstToTheLastDisplay) {
    hold(3);
    for (int i = 0; i < 300; ++i) {
        showOne(150'000);
    }
    const Percentiles skew = group_->stats().skew;
    EXPECT_NEAR(skew.p50, 300, 10);
    EXPECT_NEAR(skew.p99, 300, 10);
}

TEST_F(Group, OneThatLacksAFrameMakesTheOthersLeaveItOut) {
    hold(2);
    showOne(0);
    offer({1});
    offer({1, 2});
    ready(1, 1);
    ready(2, 2);
    EXPECT_EQ(displays_[1].told.back().sequence, 2U);
    EXPECT_EQ(displays_[1].told.back().due, 0);
    ready(1, 2);
    EXPECT_EQ(displays_[1].order().sequence, 2U);
    EXPECT_EQ(displays_[2].order().sequence, 2U);
}

TEST_F(Group, HoldingAllHoldALateOneAndNameIt) {
    hold(2);
    for (int i = 0; i < 10; ++i) {
        showOne(0);
    }
    const std::uint64_t heldBefore = group_->stats().framesHeld;
    const FrameInfo info = offer({1, 2});
    now_ += kGroupMs;
    ready(1, info.sequence);
    now_ += 300 * kGroupMs;
    group_->tick(now_);
    EXPECT_NE(displays_[1].order().sequence, info.sequence);
    ready(2, info.sequence);
    EXPECT_EQ(displays_[1].order().sequence, info.sequence);
    EXPECT_GT(displays_[1].order().due, now_);
    const FrameLockStats stats = group_->stats();
    EXPECT_EQ(stats.framesHeld, heldBefore + 1);
    EXPECT_EQ(stats.late, "display2");
}

TEST_F(Group, HoldingNoMoreFramesAreOfferedThanMayWait) {
    hold(2);
    showOne(0);
    for (int i = 0; i < 4; ++i) {
        offer({1, 2});
        EXPECT_TRUE(offered_);
    }
    offer({1, 2});
    EXPECT_FALSE(offered_) << "4 of 8 slots stay free";
    ready(1, 1);
    ready(2, 1);
    offer({1, 2});
    EXPECT_TRUE(offered_);
}

TEST_F(Group, ADisplayThatLostAllThatWaitsIsOfferedAnother) {
    hold(2);
    showOne(0);
    for (int i = 0; i < 4; ++i) {
        offer({1});
    }
    offer({1, 2});
    EXPECT_TRUE(offered_);
    ready(1, 1);
    ready(2, 5);
    ready(1, 5);
    EXPECT_EQ(displays_[1].order().sequence, 5U);
}

/// For a picture drawn by several senders: the others may have left out their parts of these frames.
TEST_F(Group, ADisplayThatCanShowNothingOfAllThatWaitsIsOfferedAnother) {
    hold(2);
    showOne(0);
    for (int i = 0; i < 4; ++i) {
        offer({1, 2});
    }
    ready(1, 1);
    group_->cameBack(2, 3);
    offer({1, 2});
    EXPECT_FALSE(offered_) << "it may get ready for the last one";
    group_->cameBack(2, 4);
    const FrameInfo next = offer({1, 2});
    EXPECT_TRUE(offered_);
    ready(2, next.sequence);
    ready(1, next.sequence);
    EXPECT_EQ(displays_[2].order().sequence, next.sequence);
}

TEST_F(Group, ALosslessSenderIsTurnedDownNothing) {
    begin(SyncMode::Hold, true);
    join(1);
    showOne(0);
    for (int i = 0; i < 40; ++i) {
        offer({1});
        EXPECT_TRUE(offered_);
    }
}

TEST_F(Group, OneThatLeavesFreesTheOthers) {
    hold(2);
    showOne(0);
    const FrameInfo info = offer({1, 2});
    ready(1, info.sequence);
    EXPECT_NE(displays_[1].order().sequence, info.sequence);
    group_->leave(2, now_);
    EXPECT_EQ(displays_[1].order().sequence, info.sequence);
    EXPECT_EQ(group_->stats().displays, 1U);
    EXPECT_FALSE(group_->stats().each.back().connected);
}

TEST_F(Group, OneThatGetsNotReadyIsLeftOutAfterThePeerTimeoutAndComesBack) {
    hold(2);
    showOne(0);
    const FrameInfo info = offer({1, 2});
    ready(1, info.sequence);
    now_ += 800 * kGroupMs;
    group_->tick(now_);
    EXPECT_NE(displays_[1].order().sequence, info.sequence);
    now_ += 101 * kGroupMs;
    group_->tick(now_);
    EXPECT_EQ(displays_[1].order().sequence, info.sequence);
    EXPECT_EQ(group_->stats().displays, 1U);
    EXPECT_EQ(group_->stats().each.back().timesLeftOut, 1U);
    ready(2, info.sequence);  // too late: the answer is the frame that the others are at
    EXPECT_EQ(displays_[2].told.back().sequence, info.sequence);
    EXPECT_EQ(group_->stats().displays, 2U);
    const FrameInfo after = offer({1, 2});
    ready(1, after.sequence);
    EXPECT_NE(displays_[1].order().sequence, after.sequence);
    ready(2, after.sequence);
    EXPECT_EQ(displays_[1].order().sequence, after.sequence);
}

TEST_F(Group, ADisplayThatHasJustComeIsNotWaitedForBeforeItsFirstFrame) {
    begin(SyncMode::Hold);
    join(1);
    showOne(0);
    join(2);
    const FrameInfo info = offer({1, 2});
    ready(1, info.sequence);
    EXPECT_EQ(displays_[1].order().sequence, info.sequence);
}

TEST_F(Group, GoingTheTimeTravelsWithTheFrameAndNobodyIsTold) {
    begin(SyncMode::Go);
    join(1);
    join(2);
    FrameInfo info;
    for (int i = 0; i < 200; ++i) {
        info = offer({1, 2});
        const TimestampNs due = info.submittedAt + TimestampNs{info.presentAfterUs} * 1000;
        const TimestampNs could = info.submittedAt + 3 * kGroupMs;
        ready(1, info.sequence);
        ready(2, info.sequence);
        const TimestampNs at = std::max(due, could);
        shown(1, info.sequence, due, at, could);
        shown(2, info.sequence, due, at + 20'000, could);
        now_ = std::max(now_, info.submittedAt + kInterval);
    }
    EXPECT_TRUE(displays_[1].told.empty());
    EXPECT_NEAR(info.presentAfterUs, 4000, 100);
    EXPECT_NEAR(group_->stats().skew.p99, 20, 1);
    EXPECT_LE(group_->stats().framesWithout, 1U) << "but for the first, before anything was known";
}

TEST_F(Group, GoingALateOneIsNamedAndTheFrameIsWithoutIt) {
    begin(SyncMode::Go);
    join(1);
    join(2);
    const auto show = [&](TimestampNs secondCould) {
        const FrameInfo info = offer({1, 2});
        const TimestampNs due = info.submittedAt + TimestampNs{info.presentAfterUs} * 1000;
        ready(1, info.sequence);
        ready(2, info.sequence);
        const TimestampNs could = info.submittedAt + kGroupMs;
        shown(1, info.sequence, due, std::max(due, could), could);
        const TimestampNs second = info.submittedAt + secondCould;
        shown(2, info.sequence, due, std::max(due, second), second);
        now_ = std::max(now_, info.submittedAt + kInterval);
    };
    for (int i = 0; i < 50; ++i) {
        show(kGroupMs);
    }
    const FrameLockStats before = group_->stats();
    show(500 * kGroupMs);
    for (int i = 0; i < 50; ++i) {
        show(kGroupMs);
    }
    const FrameLockStats after = group_->stats();
    EXPECT_EQ(after.framesWithout, before.framesWithout + 1);
    EXPECT_EQ(after.late, "display2");
    EXPECT_LT(after.delayMs, 10) << "nobody waits for what takes longer than frames may wait";
    EXPECT_LT(after.skew.max, 1000);
}

TEST_F(Group, OneThatWasToLeaveAFrameOutIsNotToldOfItWhenItIsShownAfterAll) {
    hold(3);
    for (int i = 0; i < 4; ++i) {
        offer(i == 3 ? std::vector<PresentationGroup::Id>{1} : std::vector<PresentationGroup::Id>{1, 2, 3});
    }
    for (const PresentationGroup::Id id : {1, 2, 3}) {
        ready(id, 0);
    }
    ASSERT_EQ(displays_[1].order().sequence, 0U);
    // The third display prepares a frame in vain and is left out.
    ready(1, 1);
    ready(2, 1);
    group_->tick(now_);
    now_ += 901 * kGroupMs;
    group_->tick(now_);
    ASSERT_EQ(displays_[1].order().sequence, 1U);
    ready(1, 3);
    ASSERT_EQ(displays_[2].told.back().sequence, 3U) << "it is to leave out frame 2";
    group_->leave(1, now_);
    ready(3, 2);
    now_ += 901 * kGroupMs;
    group_->tick(now_);
    EXPECT_EQ(displays_[3].order().sequence, 2U) << "the second is left out";
    EXPECT_EQ(displays_[2].told.back().sequence, 3U);
    ready(2, 2);  // was already in flight
    EXPECT_EQ(displays_[2].told.back().sequence, 3U);
    const FrameInfo next = offer({2, 3});
    ready(3, next.sequence);
    ready(2, next.sequence);
    EXPECT_EQ(displays_[2].order().sequence, next.sequence);
    EXPECT_EQ(displays_[2].order().due, displays_[3].order().due);
}

TEST_F(Group, OneThatIsReadyForAFrameOfLongAgoIsNotRefused) {
    for (const SyncMode mode : {SyncMode::Hold, SyncMode::Go}) {
        begin(mode, true);
        displays_.clear();
        next_ = 0;
        join(1);
        for (int i = 0; i < 400; ++i) {
            offer({1});
        }
        ready(1, 100);
        EXPECT_TRUE(displays_[1].order().due == 0) << "nobody remembers that it was sent";
        if (mode == SyncMode::Hold) {
            // It prepares one of the frames that it has.
            ASSERT_FALSE(displays_[1].told.empty());
            EXPECT_GT(displays_[1].told.back().sequence, 200U);
            ready(1, 100);
            EXPECT_EQ(displays_[1].told.size(), 1U);
        } else {
            shown(1, 100, now_, now_, now_);
        }
        ready(1, 399);
        EXPECT_EQ(displays_[1].order().sequence, mode == SyncMode::Hold ? 399U : 0U);
        EXPECT_THROW(ready(1, 399), Error) << "twice";
    }
}

TEST_F(Group, WhatWasShownLongAgoIsNotRefused) {
    begin(SyncMode::Go);
    join(1);
    for (std::uint64_t sequence = 0; sequence < 400; ++sequence) {
        offer({1});
        ready(1, sequence);
    }
    shown(1, 100, now_, now_, now_);
    shown(1, 399, now_, now_, now_);
    EXPECT_EQ(group_->stats().each.front().framesShown, 1U);
}

TEST_F(Group, StatsOfOneThatComesBackGoOn) {
    begin(SyncMode::Hold);
    join(1, 77);
    showOne(0);
    showOne(0);
    group_->leave(1, now_);
    displays_.clear();
    join(5, 77);
    showOne(0);
    ASSERT_EQ(group_->stats().each.size(), 1U);
    EXPECT_EQ(group_->stats().each.front().framesShown, 3U);
}

TEST_F(Group, WhatCannotBeIsRefused) {
    begin(SyncMode::Hold);
    join(1);
    offer({1});
    EXPECT_THROW(ready(9, 0), Error) << "never joined";
    EXPECT_THROW(ready(1, 7), Error) << "never sent";
    EXPECT_THROW(shown(1, 0, now_, now_, now_), Error) << "never ready";
    ready(1, 0);
    EXPECT_THROW(ready(1, 0), Error) << "twice";
    const TimestampNs due = displays_[1].order().due;
    shown(1, 0, due, due, now_);
    EXPECT_THROW(shown(1, 0, due, due, now_), Error) << "twice";
    group_->leave(1, now_);
    EXPECT_THROW(ready(1, 1), Error) << "gone";
}

TEST_F(Group, ShownBeforeAnybodyWasToldToIsRefused) {
    hold(2);
    showOne(0);
    offer({1, 2});
    ready(1, 1);
    EXPECT_THROW(shown(1, 1, now_, now_, now_), Error) << "the second is not ready";
}

TEST_F(Group, TimesFarFromTheFrameAreRefused) {
    for (const auto& [at, due] : std::vector<std::pair<TimestampNs, TimestampNs>>{
             {3600'000 * kGroupMs, 0}, {-3600'000 * kGroupMs, 0}, {0, 3600'000 * kGroupMs}}) {
        begin(SyncMode::Hold);
        displays_.clear();
        join(1);
        const FrameInfo info = offer({1});
        ready(1, info.sequence);
        const auto tell = [&, shownAt = now_ + at, dueAt = now_ + due] {
            group_->presented(1,
                              {.sequence = info.sequence,
                               .shownAt = shownAt,
                               .due = dueAt,
                               .couldAt = now_,
                               .clock = ClockBy::SameHost},
                              now_);
        };
        EXPECT_THROW(tell(), Error) << at << " " << due;
    }
}

}  // namespace
}  // namespace verbcast::testing
