#include "app/view/streams/frame_mailbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kSlots = 4;

ReceivedFrame frameOf(const std::shared_ptr<FramePool>& pool, std::uint64_t sequence) {
    ReceivedFrame frame;
    frame.lease = std::move(pool->tryAcquire().value());
    frame.info.sequence = sequence;
    return frame;
}

class FrameMailboxTest : public ::testing::Test {
  protected:
    std::shared_ptr<FramePool> pool_ = FramePool::create({.slotBytes = 4096, .slotCount = kSlots});
    FrameMailbox mailbox_;
};

TEST_F(FrameMailboxTest, EmptyGivesNothing) {
    ReceivedFrame frame;
    EXPECT_FALSE(mailbox_.hasFrame());
    EXPECT_FALSE(mailbox_.take(frame));
}

TEST_F(FrameMailboxTest, GivesAFrameOnce) {
    EXPECT_TRUE(mailbox_.put(frameOf(pool_, 7)));
    ReceivedFrame frame;
    ASSERT_TRUE(mailbox_.take(frame));
    EXPECT_EQ(frame.info.sequence, 7u);
    EXPECT_TRUE(frame.lease);
    EXPECT_FALSE(mailbox_.take(frame));
}

TEST_F(FrameMailboxTest, NewerFrameReplacesAndFreesTheOlder) {
    EXPECT_TRUE(mailbox_.put(frameOf(pool_, 1)));
    EXPECT_FALSE(mailbox_.put(frameOf(pool_, 2)));
    EXPECT_FALSE(mailbox_.put(frameOf(pool_, 3)));
    EXPECT_EQ(mailbox_.replaced(), 2u);
    EXPECT_EQ(pool_->slots().freeCount(), kSlots - 1);
    ReceivedFrame frame;
    ASSERT_TRUE(mailbox_.take(frame));
    EXPECT_EQ(frame.info.sequence, 3u);
    frame.lease.reset();
    EXPECT_EQ(pool_->slots().freeCount(), kSlots);
    EXPECT_TRUE(mailbox_.put(frameOf(pool_, 4))) << "the taker may be asleep again";
}

PictureChanges changed(std::uint16_t x) {
    PictureChanges changes = PictureChanges::none();
    changes.add(FrameRect{x, 0, 4, 4});
    return changes;
}

TEST_F(FrameMailboxTest, WhatChangedInFramesThatWereReplacedIsTold) {
    const auto put = [this](const PictureChanges& changes) {
        ReceivedFrame frame = frameOf(pool_, 1);
        changes.tellIn(frame.info);
        mailbox_.put(std::move(frame));
    };
    const auto taken = [this] {
        ReceivedFrame frame;
        EXPECT_TRUE(mailbox_.take(frame));
        return PictureChanges::of(frame.info);
    };
    put(changed(0));
    put(changed(100));
    EXPECT_EQ(taken().rects().size(), 2U);
    put(changed(200));
    EXPECT_EQ(taken().rects().size(), 1U) << "what was taken is not told again";
    put(PictureChanges::all());
    put(changed(0));
    EXPECT_TRUE(taken().isAll());
    put(PictureChanges::none());
    EXPECT_TRUE(taken().isNone());
}

TEST_F(FrameMailboxTest, TwoThreadsLoseNoSlotAndSeeFramesInOrder) {
    constexpr std::uint64_t kFrames = 200'000;
    std::jthread writer([this] {
        for (std::uint64_t sequence = 1; sequence <= kFrames; ++sequence) {
            // At most one frame is in the mailbox, one with the reader, and one here.
            mailbox_.put(frameOf(pool_, sequence));
        }
    });
    std::uint64_t last = 0;
    std::uint64_t taken = 0;
    while (last < kFrames) {
        ReceivedFrame frame;
        if (mailbox_.take(frame)) {
            ASSERT_GT(frame.info.sequence, last);
            last = frame.info.sequence;
            ++taken;
        }
    }
    writer.join();
    EXPECT_EQ(taken + mailbox_.replaced(), kFrames);
    EXPECT_EQ(pool_->slots().freeCount(), kSlots);
}

}  // namespace
}  // namespace verbcast::testing
