#include "app/view/streams/held_frames.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kRingSlots = 8;

class HeldFramesTest : public ::testing::Test {
  protected:
    void put(std::uint64_t sequence, TimestampNs now, TimestampNs wait) {
        ReceivedFrame frame;
        frame.lease = std::move(pool_->tryAcquire().value());
        frame.info.sequence = sequence;
        held_.put(std::move(frame), now, wait);
    }
    /// The sequence of the frame that is due; 0 if none is.
    std::uint64_t due(TimestampNs now) {
        const auto frame = held_.takeDue(now);
        heldFor_ = frame ? frame->heldFor : 0;
        return frame ? frame->info.sequence : 0;
    }

    std::shared_ptr<FramePool> pool_ = FramePool::create({.slotBytes = 4096, .slotCount = kRingSlots});
    HeldFrames held_{kRingSlots};
    TimestampNs heldFor_ = 0;
};

TEST_F(HeldFramesTest, WaitAndSayForHowLong) {
    EXPECT_EQ(held_.due(), std::nullopt);
    put(1, 100, 50);
    EXPECT_EQ(held_.due(), 150);
    EXPECT_EQ(due(149), 0U);
    EXPECT_EQ(due(152), 1U);
    EXPECT_EQ(heldFor_, 52);
    EXPECT_TRUE(held_.empty());
    EXPECT_EQ(held_.cutShort(), 0U);
}

TEST_F(HeldFramesTest, KeepTheirOrderWhenTheyWaitLess) {
    put(1, 100, 50);
    put(2, 110, 10);
    EXPECT_EQ(due(130), 0U);
    EXPECT_EQ(due(150), 1U);
    EXPECT_EQ(due(150), 2U);
}

TEST_F(HeldFramesTest, LeaveFourSlotsFree) {
    for (std::uint64_t sequence = 1; sequence <= kRingSlots - 4; ++sequence) {
        put(sequence, 0, 1000);
        EXPECT_EQ(due(1), 0U) << sequence;
    }
    put(5, 1, 1000);
    EXPECT_EQ(held_.due(), 0) << "at once";
    EXPECT_EQ(due(1), 1U);
    EXPECT_EQ(due(1), 0U);
    EXPECT_EQ(held_.cutShort(), 1U);
    EXPECT_EQ(pool_->slots().freeCount(), 4U);
}

TEST_F(HeldFramesTest, LeaveFourOfTheSendersSlotsFreeIfTheseAreFewer) {
    pool_ = FramePool::create({.slotBytes = 4096, .slotCount = 5});
    put(1, 0, 1000);
    EXPECT_EQ(due(1), 0U);
    put(2, 1, 1000);
    EXPECT_EQ(due(1), 1U);
}

TEST_F(HeldFramesTest, AreTakenBeforeTheirTimeAtTheEnd) {
    put(1, 0, 1000);
    const auto frame = held_.takeFirst(10);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->heldFor, 10);
    EXPECT_FALSE(held_.takeFirst(10));
}

}  // namespace
}  // namespace verbcast::testing
