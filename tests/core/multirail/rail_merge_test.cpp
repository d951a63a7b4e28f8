// Frames of several rails merge into one stream; what the rails report is checked for consistency.
#include <gtest/gtest.h>

#include "core/multirail/rail_merge.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kSender = 77;

class RailMergeTest : public ::testing::Test {
  protected:
    RailMergeTest() {
        tracks_.emplace_back(0, TrackContent::Frames, 4);
        for (std::uint8_t rail : {0, 1}) {
            merge_.joined(rail, 2, RailMode::Double, kSender, {});
        }
    }
    ReceivedFrame frame(std::uint64_t sequence, std::uint64_t bytes = 64) {
        ReceivedFrame made;
        if (auto lease = pool_->tryAcquire()) {
            made.lease = std::move(*lease);
        }
        made.info.sequence = sequence;
        made.info.payloadBytes = bytes;
        made.info.rectCount = 1;
        made.format = std::make_shared<const VideoFormat>(format_);
        return made;
    }
    void begin(std::uint64_t sequence) { merge_.order(kSender, {0, sequence, true, 0}); }
    std::vector<std::uint64_t> taken() {
        std::vector<std::uint64_t> list;
        for (ReceivedFrame next; tracks_.front().take(next);) {
            list.push_back(next.info.sequence);
            rects_.push_back(next.info.rectCount);
            formats_.push_back(next.format);
        }
        return list;
    }
    using List = std::vector<std::uint64_t>;
    VideoFormat format_ = tightFormat(16, 16, PixelFormat::rgba);
    std::shared_ptr<FramePool> pool_ = FramePool::create({.slotBytes = 64, .slotCount = 64});
    std::uint64_t missing() { return tracks_.front().counts[&StreamStats::framesDropped]; }
    std::deque<IncomingTrack> tracks_;
    RailMerge merge_{tracks_};
    std::vector<std::uint16_t> rects_;
    std::vector<std::shared_ptr<const VideoFormat>> formats_;
};

TEST_F(RailMergeTest, TheFirstArrivalCountsAndTheOtherGivesItsSlotBack) {
    begin(0);
    merge_.arrived(0, kSender, frame(0));
    merge_.arrived(1, kSender, frame(0));
    merge_.arrived(1, kSender, frame(1));
    merge_.arrived(0, kSender, frame(1));
    EXPECT_EQ(pool_->slots().freeCount(), 62U);
    EXPECT_EQ(taken(), (List{0, 1}));
    EXPECT_EQ(formats_[0], formats_[1]) << "one format, whichever rail brings it";
    const auto stats = merge_.stats();
    EXPECT_EQ(stats[0].first, 1U);
    EXPECT_EQ(stats[1].first, 1U);
    EXPECT_EQ(stats[0].frames, 2U);
    EXPECT_EQ(stats[0].missed, 0U);
}

TEST_F(RailMergeTest, NothingIsHandedOnBeforeItsTurnAndNotBeforeTheBeginningIsKnown) {
    merge_.arrived(1, kSender, frame(1));
    EXPECT_EQ(taken(), List{});
    merge_.arrived(0, kSender, frame(0));
    EXPECT_EQ(taken(), List{}) << "a frame before may still come";
    begin(0);
    EXPECT_EQ(taken(), (List{0, 1}));
    merge_.arrived(1, kSender, frame(3));
    EXPECT_EQ(taken(), List{});
    EXPECT_EQ(merge_.next(0, kSender), 2U);
    merge_.arrived(0, kSender, frame(2));
    EXPECT_EQ(taken(), (List{2, 3}));
    EXPECT_EQ(missing(), 0U);
}

TEST_F(RailMergeTest, AGapThatTheSenderTellsIsPassedAndWhatChangedIsNotKnownThen) {
    begin(0);
    merge_.arrived(0, kSender, frame(0));
    merge_.arrived(0, kSender, frame(1));
    merge_.arrived(0, kSender, frame(5));
    EXPECT_EQ(taken(), (List{0, 1}));
    merge_.order(kSender, {0, 5, false, 1});
    EXPECT_EQ(taken(), (List{5}));
    EXPECT_EQ(missing(), 3U);
    EXPECT_EQ(rects_, (std::vector<std::uint16_t>{0, 1, 0}));
}

TEST_F(RailMergeTest, WhatFindsNoRoomWaitsForIt) {
    begin(0);
    for (std::uint64_t i = 0; i < 12; ++i) {
        merge_.arrived(0, kSender, frame(i));
    }
    EXPECT_EQ(taken().size(), 8U);
    EXPECT_FALSE(merge_.empty());
    EXPECT_TRUE(merge_.flush());
    EXPECT_EQ(taken(), (List{8, 9, 10, 11}));
    EXPECT_TRUE(merge_.empty());
}

TEST_F(RailMergeTest, ARailThatBringsAFrameInAnotherFormatIsRefused) {
    begin(0);
    merge_.arrived(0, kSender, frame(0));
    ReceivedFrame other = frame(0);
    other.format = std::make_shared<const VideoFormat>(tightFormat(32, 16, PixelFormat::rgba));
    EXPECT_THROW(merge_.arrived(1, kSender, std::move(other)), Error);
    EXPECT_THROW(merge_.arrived(1, kSender, frame(0, 32)), Error);
}

TEST_F(RailMergeTest, GapsThatAPeerTellsAreBounded) {
    const auto tellMany = [&] {
        for (std::uint64_t i = 0; i < 10'000; ++i) {
            merge_.order(kSender, {0, 1000 + 2 * i, false, 999 + 2 * i});
        }
    };
    EXPECT_THROW(tellMany(), Error);
}

TEST_F(RailMergeTest, HoweverManyFramesAreDroppedWhileTheConsumerPausesThatIsOneGap) {
    begin(0);
    merge_.arrived(0, kSender, frame(0));
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        ASSERT_NO_THROW(merge_.order(kSender, {0, 2 + i, false, 0}));
    }
    merge_.arrived(0, kSender, frame(10'001));
    EXPECT_EQ(taken(), (List{0, 10'001}));
    EXPECT_EQ(missing(), 10'000U);
}

TEST_F(RailMergeTest, AFrameThatDiedWithAllRailsIsNotWaitedForOnceTheSenderBeginsAnew) {
    begin(0);
    for (std::uint64_t i = 0; i < 4; ++i) {
        merge_.arrived(0, kSender, frame(i));
    }
    EXPECT_EQ(taken(), (List{0, 1, 2, 3}));
    merge_.arrived(1, kSender, frame(5));  // 4 was in flight on the other rail; then both rails are gone
    EXPECT_EQ(taken(), List{});
    begin(20);
    merge_.arrived(0, kSender, frame(20));
    merge_.arrived(0, kSender, frame(21));
    EXPECT_EQ(taken(), (List{5, 20, 21}));
    EXPECT_EQ(missing(), 1U + 14U);
    EXPECT_TRUE(merge_.empty());
}

TEST_F(RailMergeTest, AFrameOfADeadRailIsHandedOnWhenTheOneBeforeItIsLost) {
    begin(0);
    for (std::uint64_t i = 0; i < 3; ++i) {
        merge_.arrived(0, kSender, frame(i));
    }
    EXPECT_EQ(taken(), (List{0, 1, 2}));
    merge_.arrived(0, kSender, frame(4));
    merge_.order(kSender, {0, 5, false, 2});  // nobody has 3 any longer; the sender knows nothing of 4
    EXPECT_EQ(taken(), List{4});
    EXPECT_EQ(missing(), 1U);
    merge_.arrived(1, kSender, frame(5));
    EXPECT_EQ(taken(), List{5});
}

TEST_F(RailMergeTest, WhatARailSaysLateOfAGapDoesNotUndoWhatAnotherHasSaid) {
    begin(0);
    merge_.arrived(0, kSender, frame(0));
    merge_.arrived(0, kSender, frame(1));
    merge_.order(kSender, {0, 4, false, 1});
    merge_.order(kSender, {0, 4, false, 2});  // also sent before 2 was dropped
    merge_.arrived(0, kSender, frame(4));
    EXPECT_EQ(taken(), (List{0, 1, 4}));
    merge_.order(kSender, {0, 9, true, 0});
    merge_.order(kSender, {0, 9, false, 8});
    merge_.arrived(0, kSender, frame(9));
    EXPECT_EQ(taken(), List{9});
}

TEST_F(RailMergeTest, FramesOfASenderThatIsGoneAreNotThoseOfTheNext) {
    begin(0);
    merge_.arrived(0, kSender, frame(0));
    EXPECT_EQ(taken(), List{0});
    merge_.joined(0, 2, RailMode::Double, kSender + 1, {});
    merge_.arrived(1, kSender, frame(1));
    EXPECT_EQ(taken(), List{});
    EXPECT_EQ(merge_.next(0, kSender + 1), 0U);
    merge_.order(kSender + 1, {0, 0, true, 0});
    merge_.arrived(0, kSender + 1, frame(0));
    EXPECT_EQ(taken(), List{0});
}

}  // namespace
}  // namespace verbcast::testing
