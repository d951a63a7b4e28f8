// Change rectangles: merged without loss, reported in frames, checked, and mapped to planes.
#include "core/video/picture_changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/video/change_history.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kSize = 64;

/// A picture as a set of pixels.
class Pixels {
  public:
    void add(const FrameRect& rect) {
        for (std::uint32_t y = rect.y; y < std::uint32_t{rect.y} + rect.height; ++y) {
            for (std::uint32_t x = rect.x; x < std::uint32_t{rect.x} + rect.width; ++x) {
                set_.at(y * kSize + x) = true;
            }
        }
    }
    bool covers(const Pixels& other) const {
        for (std::size_t i = 0; i < set_.size(); ++i) {
            if (other.set_[i] && !set_[i]) {
                return false;
            }
        }
        return true;
    }
    std::size_t count() const { return static_cast<std::size_t>(std::count(set_.begin(), set_.end(), true)); }

  private:
    std::vector<bool> set_ = std::vector<bool>(std::size_t{kSize} * kSize);
};

Pixels pixelsOf(const PictureChanges& changes) {
    Pixels pixels;
    if (changes.isAll()) {
        pixels.add({0, 0, kSize, kSize});
        return pixels;
    }
    for (const FrameRect& rect : changes.rects()) {
        pixels.add(rect);
    }
    return pixels;
}

FrameRect randomRect(std::mt19937& random, std::uint32_t most = 12) {
    FrameRect rect;
    rect.width = static_cast<std::uint16_t>(random() % most);
    rect.height = static_cast<std::uint16_t>(random() % most);
    rect.x = static_cast<std::uint16_t>(random() % (kSize - rect.width + 1));
    rect.y = static_cast<std::uint16_t>(random() % (kSize - rect.height + 1));
    return rect;
}

TEST(PictureChanges, HoldAllThatWasAddedHoweverMuchIsMerged) {
    std::mt19937 random(1);
    for (int round = 0; round < 10; ++round) {
        PictureChanges changes = PictureChanges::none();
        Pixels added;
        for (int i = 0; i < 60; ++i) {
            const FrameRect rect = randomRect(random);
            changes.add(rect);
            added.add(rect);
            ASSERT_LE(changes.rects().size(), kMaxFrameRects);
            ASSERT_TRUE(pixelsOf(changes).covers(added));
        }
    }
}

TEST(PictureChanges, AreNoLargerThanNeededWhileThereIsRoom) {
    PictureChanges changes = PictureChanges::none();
    EXPECT_TRUE(changes.isNone());
    changes.add(FrameRect{0, 0, 4, 4});
    changes.add(FrameRect{40, 40, 4, 4});
    EXPECT_EQ(changes.rects().size(), 2U) << "far apart";
    changes.add(FrameRect{1, 1, 2, 2});
    EXPECT_EQ(changes.rects().size(), 2U) << "inside";
    changes.add(FrameRect{4, 0, 4, 4});
    changes.add(FrameRect{0, 0, 0, 9});
    ASSERT_EQ(changes.rects().size(), 2U) << "side by side; an empty one is nothing";
    EXPECT_EQ(pixelsOf(changes).count(), 8U * 4 + 4 * 4);
    changes.add(FrameRect{0, 0, 64, 64});
    ASSERT_EQ(changes.rects().size(), 1U) << "around them all";
    EXPECT_EQ(changes.rects()[0], (FrameRect{0, 0, 64, 64}));
}

TEST(PictureChanges, TheNearestAreMergedWhereThereIsNoRoom) {
    PictureChanges changes = PictureChanges::none();
    for (std::uint16_t i = 0; i < kMaxFrameRects; ++i) {
        changes.add(
            FrameRect{static_cast<std::uint16_t>(i % 4 * 16), static_cast<std::uint16_t>(i / 4 * 16), 2, 2});
    }
    ASSERT_EQ(changes.rects().size(), kMaxFrameRects);
    changes.add(FrameRect{60, 60, 2, 2});
    EXPECT_EQ(changes.rects().size(), kMaxFrameRects);
    EXPECT_EQ(pixelsOf(changes).count(), 15U * 4 + 18 * 2) << "two neighbours of the grid";
    changes.add(FrameRect{58, 58, 2, 2});
    EXPECT_EQ(pixelsOf(changes).count(), 15U * 4 + 18 * 2 + 12) << "with the one at 60,60";
}

TEST(PictureChanges, TravelInAFrameAsTheyAre) {
    FrameInfo info;
    EXPECT_TRUE(PictureChanges::of(info).isAll()) << "a frame that says nothing";
    for (const auto& changes : {PictureChanges::all(), PictureChanges::none()}) {
        info.rectCount = 7;
        changes.tellIn(info);
        EXPECT_EQ(PictureChanges::of(info).isAll(), changes.isAll());
        EXPECT_EQ(PictureChanges::of(info).isNone(), changes.isNone());
    }
    PictureChanges some = PictureChanges::none();
    some.add(FrameRect{1, 2, 3, 4});
    some.add(FrameRect{50, 2, 3, 4});
    some.tellIn(info);
    EXPECT_EQ(info.rectCount, 2U);
    EXPECT_EQ(info.rects[0], (FrameRect{1, 2, 3, 4}));
    some.add(PictureChanges::all());
    EXPECT_TRUE(some.isAll());
    some.add(FrameRect{1, 2, 3, 4});
    EXPECT_TRUE(some.isAll());
}

TEST(PictureChanges, OutsideThePictureAreAProblem) {
    const VideoFormat format = tightFormat(100, 50, PixelFormat::yuv420p);
    FrameInfo info;
    EXPECT_FALSE(changesProblem(info, format));
    info.rectCount = 1;
    for (const FrameRect& good : {FrameRect{0, 0, 100, 50}, FrameRect{99, 49, 1, 1}, FrameRect{}}) {
        info.rects[0] = good;
        EXPECT_FALSE(changesProblem(info, format)) << good.x << "," << good.y;
    }
    for (const FrameRect& bad :
         {FrameRect{99, 0, 2, 1}, FrameRect{0, 49, 1, 2}, FrameRect{65535, 0, 65535, 1}}) {
        info.rects[0] = bad;
        EXPECT_TRUE(changesProblem(info, format)) << bad.x << "," << bad.y;
    }
    info.rects[0] = {};
    info.rectCount = kMaxFrameRects + 1;
    EXPECT_TRUE(changesProblem(info, format));
}

void expectRegion(PixelFormat pixels, std::size_t plane, const FrameRect& part, const PlaneRegion& expected) {
    const PlaneRegion region = planeRegion(tightFormat(101, 51, pixels), plane, part);
    EXPECT_EQ(region.group, expected.group) << pixelFormatName(pixels) << " plane " << plane;
    EXPECT_EQ(region.groups, expected.groups) << pixelFormatName(pixels) << " plane " << plane;
    EXPECT_EQ(region.row, expected.row) << pixelFormatName(pixels) << " plane " << plane;
    EXPECT_EQ(region.rows, expected.rows) << pixelFormatName(pixels) << " plane " << plane;
}

TEST(PlaneRegions, ReachOutwardToWholeSamplesAndGroups) {
    const FrameRect odd{3, 5, 6, 2};  // pixels 3 to 8 of rows 5 and 6
    expectRegion(PixelFormat::rgba, 0, odd, {3, 6, 5, 2});
    expectRegion(PixelFormat::yuv420p, 0, odd, {3, 6, 5, 2});
    expectRegion(PixelFormat::yuv420p, 1, odd, {1, 4, 2, 2});
    expectRegion(PixelFormat::nv12, 1, odd, {1, 4, 2, 2});
    expectRegion(PixelFormat::yuv422p, 2, odd, {1, 4, 5, 2});
    expectRegion(PixelFormat::uyvy422, 0, odd, {1, 4, 5, 2});
    expectRegion(PixelFormat::v210, 0, odd, {0, 2, 5, 2});
    const FrameRect corner{100, 50, 1, 1};  // the last pixel of an odd picture
    expectRegion(PixelFormat::yuv420p, 1, corner, {50, 1, 25, 1});
    expectRegion(PixelFormat::v210, 0, corner, {16, 1, 50, 1});
    const FrameRect whole = wholePicture(tightFormat(101, 51, PixelFormat::rgba));
    expectRegion(PixelFormat::yuv420p, 1, whole, {0, 51, 0, 26});
    expectRegion(PixelFormat::uyvy422, 0, whole, {0, 51, 0, 51});
}

FrameInfo frameOf(std::uint64_t sequence, std::initializer_list<FrameRect> changed) {
    FrameInfo info;
    info.sequence = sequence;
    PictureChanges changes = PictureChanges::none();
    for (const FrameRect& rect : changed) {
        changes.add(rect);
    }
    changes.tellIn(info);
    return info;
}
FrameInfo wholeFrame(std::uint64_t sequence) {
    FrameInfo info;
    info.sequence = sequence;
    return info;
}

TEST(ChangeHistory, TellsTheDifferenceOfAnyTwoFramesThatItSaw) {
    ChangeHistory history;
    EXPECT_TRUE(history.between(0, 0).isAll()) << "nothing is known of a frame that never came";
    history.add(wholeFrame(10));
    history.add(frameOf(11, {{0, 0, 4, 4}}));
    history.add(frameOf(12, {}));
    history.add(frameOf(13, {{32, 32, 4, 4}}));
    EXPECT_TRUE(history.between(10, 10).isNone());
    EXPECT_TRUE(history.between(11, 12).isNone());
    EXPECT_EQ(pixelsOf(history.between(10, 11)).count(), 16U);
    EXPECT_EQ(pixelsOf(history.between(10, 13)).count(), 32U);
    EXPECT_EQ(history.between(11, 13).rects().size(), 1U);
    EXPECT_TRUE(history.between(9, 13).isAll()) << "before the frame that stood for itself";
    EXPECT_TRUE(history.between(10, 14).isAll()) << "a frame that has not come";
    EXPECT_TRUE(history.between(13, 12).isAll());
}

TEST(ChangeHistory, WhatStandsForItselfOrFollowsAGapEndsWhatWasKnown) {
    ChangeHistory history;
    history.add(frameOf(5, {{0, 0, 4, 4}}));
    EXPECT_TRUE(history.between(4, 5).isAll()) << "the one before never came here";
    EXPECT_TRUE(history.between(5, 5).isNone());
    history.add(frameOf(6, {{0, 0, 4, 4}}));
    history.add(frameOf(8, {{8, 8, 4, 4}}));
    EXPECT_TRUE(history.between(6, 8).isAll()) << "what changed in 7 is not known";
    history.add(frameOf(9, {{8, 8, 4, 4}}));
    EXPECT_FALSE(history.between(8, 9).isAll());
    history.add(wholeFrame(10));
    EXPECT_TRUE(history.between(9, 10).isAll());
}

TEST(ChangeHistory, KnowsTheOldestFramesToo) {
    std::mt19937 random(7);
    ChangeHistory history;
    history.add(wholeFrame(0));
    constexpr std::uint64_t kFrames = 400;
    std::vector<Pixels> changedSince(kFrames + 1);
    for (std::uint64_t sequence = 1; sequence <= kFrames; ++sequence) {
        const FrameRect rect = randomRect(random, 4);
        history.add(frameOf(sequence, {rect}));
        for (std::uint64_t earlier = 0; earlier < sequence; ++earlier) {
            changedSince[earlier].add(rect);
        }
        if (sequence % 50 == 0) {
            for (std::uint64_t from = 0; from < sequence; from += 1 + from / 10) {
                const PictureChanges changes = history.between(from, sequence);
                ASSERT_FALSE(changes.isAll()) << from;
                ASSERT_TRUE(pixelsOf(changes).covers(changedSince[from])) << from << " to " << sequence;
            }
        }
    }
    history.add(frameOf(kFrames + 1, {FrameRect{1, 2, 3, 4}}));
    EXPECT_EQ(history.between(kFrames, kFrames + 1).rects().size(), 1U) << "the newest are known exactly";
}

}  // namespace
}  // namespace verbcast::testing
