// What a receiver's rails share at the sender: which rail takes which frame, and what remains when one dies.
#include <gtest/gtest.h>

#include "core/multirail/rail_queue.h"

namespace verbcast::testing {
namespace {

struct Told {
    std::uint64_t sequence, follows;
    bool begins;
    friend bool operator==(const Told&, const Told&) = default;
};

class RailQueueTest : public ::testing::Test {
  protected:
    static constexpr std::uint32_t kSlots = 8;

    QueuedFrame frame(std::uint64_t sequence) {
        QueuedFrame made;
        auto lease = pool_->tryAcquire();
        EXPECT_TRUE(lease) << "the queue holds more slots than it may";
        made.lease = std::move(*lease);
        made.info.sequence = sequence;
        return made;
    }
    static std::optional<std::uint64_t> take(RailQueue& queue, std::uint8_t rail, TimestampNs now = 1,
                                             bool lastPlace = false) {
        const auto taken = queue.take(rail, lastPlace, now, [](const RailQueue::Taken&) {});
        return taken ? std::optional(taken->frame.info.sequence) : std::nullopt;
    }
    static std::vector<Told> gaps(RailQueue& queue, std::uint8_t rail) {
        std::vector<Told> told;
        queue.tellGaps(rail, [&](std::uint64_t sequence, bool begins, std::uint64_t follows) {
            told.push_back({sequence, follows, begins});
        });
        return told;
    }
    static void join(RailQueue& queue) {
        queue.joined(0);
        queue.joined(1);
    }
    std::shared_ptr<FramePool> pool_ = FramePool::create({.slotBytes = 64, .slotCount = kSlots});
};

TEST_F(RailQueueTest, DoubledFramesAreTakenByEachRailOnceAndInOrder) {
    RailQueue queue(RailMode::Double, Policy::Lossless, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    queue.push(frame(1));
    EXPECT_EQ(take(queue, 0), 0U);
    EXPECT_EQ(take(queue, 1), 0U);
    EXPECT_EQ(take(queue, 0), 1U);
    EXPECT_EQ(take(queue, 0), std::nullopt);
    EXPECT_EQ(take(queue, 1), 1U);
    EXPECT_FALSE(queue.empty()) << "nothing has arrived yet";
    queue.accepted(2);
    EXPECT_TRUE(queue.empty());
}

TEST_F(RailQueueTest, ARailThatIsBehindSkipsWhatHasArrived) {
    RailQueue queue(RailMode::Double, Policy::Lossless, kSlots, 2);
    join(queue);
    for (std::uint64_t i = 0; i < 3; ++i) {
        queue.push(frame(i));
        EXPECT_EQ(take(queue, 0), i);
    }
    queue.accepted(2);
    EXPECT_EQ(take(queue, 1), 2U);
}

TEST_F(RailQueueTest, StripedFramesAreTakenByOneRailAndByTheOtherOnceItIsGone) {
    RailQueue queue(RailMode::Stripe, Policy::Lossless, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    queue.push(frame(1));
    EXPECT_EQ(take(queue, 0), 0U);
    EXPECT_EQ(take(queue, 1), 1U);
    EXPECT_EQ(take(queue, 1), std::nullopt);
    EXPECT_EQ(queue.gone(0), 0U);
    EXPECT_EQ(take(queue, 1), 0U);
}

TEST_F(RailQueueTest, AStripedFrameWhoseRailSaysNothingIsSentByTheOtherInTime) {
    RailQueue queue(RailMode::Stripe, Policy::Lossless, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    EXPECT_EQ(take(queue, 0, 1000), 0U);
    EXPECT_EQ(take(queue, 1, 2000), std::nullopt);
    const auto due = queue.nextDue(1);
    ASSERT_TRUE(due);
    EXPECT_LE(*due - 1000, 200'000'000);
    EXPECT_EQ(take(queue, 1, *due), 0U);
    EXPECT_EQ(queue.nextDue(1), std::nullopt);
}

TEST_F(RailQueueTest, TheReceiversLastSlotIsKeptForTheFrameThatItWaitsFor) {
    RailQueue queue(RailMode::Stripe, Policy::Lossless, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    queue.push(frame(1));
    EXPECT_EQ(take(queue, 0), 0U);
    EXPECT_EQ(take(queue, 1, 1, true), std::nullopt);
    queue.gone(0);
    EXPECT_EQ(take(queue, 1, 1, true), 0U);
}

TEST_F(RailQueueTest, AFrameIsGivenUpOnceHoweverManyRailsHadTakenIt) {
    RailQueue queue(RailMode::Double, Policy::Latest, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    EXPECT_EQ(take(queue, 0), 0U);
    EXPECT_EQ(take(queue, 1), 0U);
    EXPECT_TRUE(queue.giveUp(0));
    EXPECT_FALSE(queue.giveUp(0));
}

TEST_F(RailQueueTest, ALiveStreamDropsWhatNoRailCouldTakeAndTellsEachRailOfTheGapOnce) {
    RailQueue queue(RailMode::Double, Policy::Latest, kSlots, 2);
    join(queue);
    EXPECT_EQ(queue.push(frame(0)), 0U);
    EXPECT_TRUE(gaps(queue, 0).empty()) << "nobody has brought it";
    EXPECT_EQ(take(queue, 0), 0U);
    EXPECT_EQ(gaps(queue, 0), (std::vector<Told>{{0, 0, true}}));
    std::uint64_t dropped = 0;
    for (std::uint64_t i = 1; i <= 4; ++i) {
        dropped += queue.push(frame(i));
    }
    EXPECT_EQ(dropped, 2U);
    EXPECT_EQ(take(queue, 0), 3U);
    EXPECT_EQ(gaps(queue, 0), (std::vector<Told>{{3, 0, false}}));
    EXPECT_TRUE(gaps(queue, 0).empty());
    EXPECT_EQ(gaps(queue, 1), (std::vector<Told>{{0, 0, true}, {3, 0, false}}));
}

TEST_F(RailQueueTest, WhileNoRailTakesAnythingNoGapIsTold) {
    RailQueue queue(RailMode::Double, Policy::Latest, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    EXPECT_EQ(take(queue, 0), 0U);
    static_cast<void>(gaps(queue, 0));
    static_cast<void>(gaps(queue, 1));
    for (std::uint64_t i = 1; i <= 100; ++i) {
        queue.push(frame(i));
        EXPECT_TRUE(gaps(queue, 0).empty()) << i;
    }
    EXPECT_EQ(take(queue, 0), 99U);
    EXPECT_EQ(gaps(queue, 0), (std::vector<Told>{{99, 0, false}}));
    EXPECT_EQ(gaps(queue, 1), (std::vector<Told>{{99, 0, false}})) << "the rail that took it may die";
}

TEST_F(RailQueueTest, ALiveStreamKeepsNoMoreThanItMayHoweverLongNothingArrives) {
    for (const RailMode mode : {RailMode::Double, RailMode::Stripe}) {
        RailQueue queue(mode, Policy::Latest, kSlots, 2);
        join(queue);
        for (std::uint64_t i = 0; i < 100; ++i) {
            queue.push(frame(i));
            static_cast<void>(take(queue, 0));
        }
        EXPECT_GE(pool_->slots().freeCount(), kSlots - 2 - RailQueue::kept(kSlots));
    }
}

TEST_F(RailQueueTest, OfFramesThatNobodyHasAnyMoreTheOthersTell) {
    RailQueue queue(RailMode::Stripe, Policy::Latest, kSlots, 2);
    join(queue);
    for (std::uint64_t i = 0; i < 8; ++i) {
        queue.push(frame(i));
        EXPECT_EQ(take(queue, 0), i);  // the rail has sent it, and it does not arrive
    }
    static_cast<void>(gaps(queue, 1));
    const std::uint64_t lost = queue.gone(0);
    EXPECT_GT(lost, 0U);
    EXPECT_EQ(gaps(queue, 1), (std::vector<Told>{{lost, 0, true}}));
    EXPECT_EQ(take(queue, 1), lost);
}

TEST_F(RailQueueTest, ALosslessSenderWaitsForRoomAndKeepsASlotForTheSource) {
    RailQueue queue(RailMode::Double, Policy::Lossless, kSlots, 2);
    join(queue);
    std::uint64_t pushed = 0;
    for (; queue.canPush() && pushed < 100; ++pushed) {
        queue.push(frame(pushed));
        EXPECT_EQ(take(queue, 0), pushed);
    }
    EXPECT_EQ(pushed, kSlots - 1);
    queue.accepted(3);
    EXPECT_TRUE(queue.canPush());
    EXPECT_EQ(queue.takeAll().size(), pushed - 3);
}

TEST_F(RailQueueTest, WhatAStuckRailStillSendsCountsAndMakesItTakeNoMore) {
    RailQueue queue(RailMode::Double, Policy::Lossless, kSlots, 2);
    join(queue);
    for (std::uint64_t i = 0; i < 4; ++i) {
        queue.push(frame(i));
        EXPECT_EQ(take(queue, 0), i);
        if (i < 2) {
            EXPECT_EQ(take(queue, 1), i);
            queue.began(1, i);
        }
        queue.accepted(i + 1);
    }
    queue.push(frame(4));
    EXPECT_EQ(take(queue, 1), std::nullopt);
    queue.left(1, 0);
    EXPECT_EQ(take(queue, 1), 4U);
}

TEST_F(RailQueueTest, AReceiverThatNeverSaysWhatItHasGotCostsNoMoreAndMore) {
    RailQueue queue(RailMode::Double, Policy::Latest, kSlots, 2);
    join(queue);
    std::uint64_t dropped = 0;
    constexpr std::uint64_t kMany = 10 * kMaxRails * kMaxSlots;
    for (std::uint64_t i = 0; i < kMany; ++i) {
        dropped += queue.push(frame(i));
        ASSERT_EQ(take(queue, 0), i);
        queue.began(0, i);
        queue.left(0, i);
        queue.accepted(0);
    }
    EXPECT_GE(dropped, kMany - kMaxRails * kMaxSlots - 2) << "more are kept than all rings have slots";
    EXPECT_NO_THROW(queue.accepted(kMany));
    EXPECT_TRUE(queue.empty());
}

TEST_F(RailQueueTest, WhatAReceiverSaysBeforeTheFirstFrameAcceptsNoneThatComesLater) {
    RailQueue queue(RailMode::Double, Policy::Lossless, kSlots, 2);
    join(queue);
    queue.accepted(std::uint64_t{1} << 63U);
    queue.push(frame(7));
    EXPECT_FALSE(queue.isAccepted(7));
    EXPECT_EQ(take(queue, 0), 7U);
    queue.accepted(7);
    EXPECT_FALSE(queue.empty());
}

TEST_F(RailQueueTest, WhatARailCannotTakeIsNeverDueForIt) {
    RailQueue queue(RailMode::Stripe, Policy::Latest, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    EXPECT_EQ(take(queue, 0), 0U);
    EXPECT_TRUE(queue.nextDue(1));
    for (std::uint64_t i = 1; i <= 20; ++i) {
        queue.push(frame(i));
        EXPECT_EQ(take(queue, 1), i);
    }
    EXPECT_FALSE(queue.nextDue(1)) << "frame 0 is not kept any more";
    EXPECT_TRUE(queue.nextDue(0));
    EXPECT_FALSE(queue.nextDue(0, true)) << "its last place is kept for the first frame";
    for (std::uint64_t i = 17; i <= 18; ++i) {
        queue.began(0, i);
    }
    queue.accepted(19);
    EXPECT_FALSE(queue.nextDue(0)) << "it is far behind";
    queue.left(0, 17);
    EXPECT_TRUE(queue.nextDue(0));
}

TEST_F(RailQueueTest, ATrackThatTheReceiverDeclinesKeepsNothingAndBlocksNobody) {
    RailQueue queue(RailMode::Double, Policy::Lossless, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    queue.push(frame(1));
    EXPECT_FALSE(queue.canPush());
    EXPECT_EQ(take(queue, 0), 0U);
    queue.decline();
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.canPush());
    queue.push(frame(2));
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.takeAll().empty());
    EXPECT_EQ(take(queue, 0), std::nullopt);
    EXPECT_EQ(pool_->slots().freeCount(), kSlots);
}

TEST_F(RailQueueTest, AReceiverCannotHaveFramesThatAreNoneYet) {
    RailQueue queue(RailMode::Double, Policy::Lossless, kSlots, 2);
    join(queue);
    queue.push(frame(0));
    EXPECT_THROW(queue.accepted(2), Error);
    EXPECT_NO_THROW(queue.accepted(1));
}

}  // namespace
}  // namespace verbcast::testing
