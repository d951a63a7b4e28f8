// Which frames of two streams are shown together.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "app/window/picture/frame_pairing.h"
#include "core/video/picture_changes.h"

namespace verbcast::testing {
namespace {

class Pairing : public ::testing::Test {
  protected:
    Pairing() { pairing_.setDepth(3); }

    static ReceivedFrame frame(std::uint64_t sequence, std::int64_t pts, Rational timeBase = {1, 1000}) {
        ReceivedFrame made;
        VideoFormat format;
        format.timeBase = timeBase;
        made.format = std::make_shared<const VideoFormat>(format);
        made.info.sequence = sequence;
        made.info.pts = pts;
        return made;
    }
    /// Offers each side a frame, or none for nullopt, and returns what both sides show then.
    std::pair<std::int64_t, std::int64_t> after(std::optional<std::int64_t> first,
                                                std::optional<std::int64_t> second) {
        const std::optional<std::int64_t> came[] = {first, second};
        for (std::size_t side = 0; side < 2; ++side) {
            if (came[side]) {
                pairing_.add(side, frame(static_cast<std::uint64_t>(*came[side]), *came[side] * 40), now_);
            }
        }
        pairing_.choose(shown_[0], shown_[1], now_);
        for (std::size_t side = 0; side < 2; ++side) {
            auto chosen = pairing_.take(side);
            passedOver_[side] += chosen.passedOver;
            if (chosen.frame) {
                shown_[side] = momentOf(*chosen.frame);
            }
        }
        return {sequence(0), sequence(1)};
    }
    std::int64_t sequence(std::size_t side) const {
        return shown_[side] ? static_cast<std::int64_t>(shown_[side]->sequence) : -1;
    }

    FramePairing pairing_;
    TimestampNs now_ = 1;
    std::array<std::optional<FrameMoment>, 2> shown_;
    std::array<std::uint64_t, 2> passedOver_{};
};

using Shown = std::pair<std::int64_t, std::int64_t>;

TEST_F(Pairing, FramesThatComeTogetherAreShownAtOnce) {
    for (std::int64_t i = 0; i < 10; ++i) {
        EXPECT_EQ(after(i, i), (Shown{i, i}));
    }
    EXPECT_EQ(passedOver_[0] + passedOver_[1], 0U);
}

TEST_F(Pairing, AStreamThatIsAheadWaitsForTheOther) {
    after(1, std::nullopt);
    after(2, 1);
    std::set<std::int64_t> seen;
    for (std::int64_t i = 3; i < 30; ++i) {
        const Shown shown = after(i, i - 1);
        EXPECT_EQ(shown.first, shown.second) << i;
        seen.insert(shown.first);
    }
    EXPECT_EQ(seen.size(), 27U) << "every frame was shown";
}

TEST_F(Pairing, FramesAreFoundThoughSomeAreMissing) {
    for (std::int64_t i = 1; i < 40; ++i) {
        const auto first = i % 3 == 0 ? std::nullopt : std::optional(i);
        const auto second = i % 5 == 0 ? std::nullopt : std::optional(i);
        after(first, second);
        if (first && second) {
            EXPECT_EQ(sequence(0), i);
            EXPECT_EQ(sequence(1), i);
        }
    }
}

// No common frame to wait for: the newest of each is shown without delay.
TEST_F(Pairing, StreamsWithoutACommonFrameAreNotHeldUp) {
    after(1000, 1);
    for (std::int64_t i = 2; i < 20; ++i) {
        EXPECT_EQ(after(1000 + i, i), (Shown{1000 + i, i}));
    }
}

TEST_F(Pairing, AStreamGoesOnWhenTheOtherStops) {
    after(1, 1);
    after(2, 2);
    for (std::int64_t i = 3; i < 20; ++i) {
        EXPECT_GE(after(i, std::nullopt).first, i - 3) << "no more than the frames that wait";
        EXPECT_EQ(sequence(1), 2);
    }
}

TEST_F(Pairing, AFrameWaitsNoLongerThanItsPatience) {
    after(1, 1);
    EXPECT_EQ(after(2, std::nullopt), (Shown{1, 1}));
    EXPECT_TRUE(pairing_.waits());
    now_ += std::chrono::nanoseconds(FramePairing::kPatience).count() - 1;
    EXPECT_EQ(after(std::nullopt, std::nullopt), (Shown{1, 1}));
    ++now_;
    EXPECT_EQ(after(std::nullopt, std::nullopt), (Shown{2, 1}));
    EXPECT_FALSE(pairing_.waits());
}

TEST_F(Pairing, WhatChangedInFramesPassedOverIsTold) {
    auto part = [](std::uint64_t sequence, FrameRect rect) {
        ReceivedFrame made = frame(sequence, 40 * static_cast<std::int64_t>(sequence));
        PictureChanges changes = PictureChanges::none();
        changes.add(rect);
        changes.tellIn(made.info);
        return made;
    };
    pairing_.add(0, part(1, {0, 0, 8, 8}), now_);
    pairing_.add(0, part(2, {100, 100, 8, 8}), now_);
    const auto chosen = pairing_.takeNewest(0);
    ASSERT_TRUE(chosen.frame);
    EXPECT_EQ(chosen.frame->info.sequence, 2U);
    EXPECT_EQ(chosen.frame->info.rectCount, 2);
    EXPECT_EQ(chosen.passedOver, 1U);
}

TEST(FrameMoments, AreTimesWhereThereAreTimes) {
    const FrameMoment one{.sequence = 7, .pts = 2, .timeBase = {1, 25}};
    EXPECT_TRUE(sameMoment(one, {.sequence = 90, .pts = 80, .timeBase = {1, 1000}}));
    EXPECT_FALSE(sameMoment(one, {.sequence = 7, .pts = 3, .timeBase = {1, 25}}));
    EXPECT_NEAR(secondsBetween(one, {.sequence = 7, .pts = 3, .timeBase = {1, 25}}), 0.04, 1e-9);
    EXPECT_TRUE(sameMoment({.sequence = 7}, {.sequence = 7}));
    EXPECT_FALSE(sameMoment({.sequence = 7}, {.sequence = 8}));
}

}  // namespace
}  // namespace verbcast::testing
