// The sound of an input goes with the pictures that show it.
#include "app/commands/compose/mosaic/sound/input_sound.h"

#include <gtest/gtest.h>

#include <chrono>

namespace verbcast::testing {
namespace {

constexpr SoundFormat kFormat{.rate = 48'000, .channels = 2, .maxSamples = 240};
constexpr std::int64_t kBlock = 240;

class InputSoundTest : public ::testing::Test {
  protected:
    /// A block with samples of its own.
    void put(std::int64_t pts) {
        std::vector<float> planar(std::size_t{2} * kBlock);
        for (std::size_t i = 0; i < planar.size(); ++i) {
            planar[i] = static_cast<float>(pts) + static_cast<float>(i) / 1024;
        }
        sound_.put(kFormat, pts, planar, true, 0);
        put_.push_back(std::move(planar));
    }
    bool next(double now) { return sound_.next(now, block_); }

    const Event news_;
    InputSound sound_{news_, std::chrono::nanoseconds(0)};
    PlacedSound block_;
    std::vector<std::vector<float>> put_;
};

TEST_F(InputSoundTest, KeepsItsSamplesAndTheirDistances) {
    constexpr std::int64_t kPts[] = {480'000, 480'240, 480'481, 481'000};
    for (const std::int64_t pts : kPts) {
        put(pts);
    }
    EXPECT_TRUE(sound_.hasSounded());
    EXPECT_FALSE(next(2)) << "no picture tells where it belongs";
    sound_.pictureDrawn(10, 2);
    for (std::size_t i = 0; i < std::size(kPts); ++i) {
        ASSERT_TRUE(next(2));
        EXPECT_EQ(block_.pts, kPts[i] - 480'000 + 96'000);
        EXPECT_EQ(block_.planar, put_[i]);
    }
    EXPECT_FALSE(next(2));
}

TEST_F(InputSoundTest, IsNotHeardWithOtherPictures) {
    sound_.pictureDrawn(50, 60);
    put(0);  // of a stream that begins anew, whose first picture is still to come
    put(240);
    EXPECT_FALSE(next(60));
    sound_.pictureDrawn(0, 60.25);
    ASSERT_TRUE(next(60.25));
    EXPECT_EQ(block_.pts, 60.25 * 48'000);
    EXPECT_TRUE(next(60.25));
    // What waits from before the pictures jumped is left out.
    put(20 * 48'000);
    EXPECT_FALSE(next(60.25));
    sound_.pictureDrawn(30, 60.3);
    put(30 * 48'000);
    ASSERT_TRUE(next(60.3));
    EXPECT_EQ(block_.planar, put_.back());
    EXPECT_FALSE(block_.follows);
    EXPECT_FALSE(next(60.3));
}

TEST_F(InputSoundTest, FollowsThePicturesSlowly) {
    // They are shown 8 ms later than the first one was.
    sound_.pictureDrawn(0, 0);
    std::int64_t last = -kBlock, moved = 0;
    for (int i = 0; i < 2000; ++i) {
        const double time = 0.005 * i;
        sound_.pictureDrawn(time, time + 0.008);
        put(i * kBlock);
        ASSERT_TRUE(next(time));
        const std::int64_t step = block_.pts - last - kBlock;
        ASSERT_GE(step, 0);
        ASSERT_LE(step, 1);
        last = block_.pts;
        moved += step;
    }
    EXPECT_NEAR(static_cast<double>(moved), 0.008 * 48'000, 0.0015 * 48'000);
}

TEST_F(InputSoundTest, KeepsTheNewestOfWhatNobodyTakes) {
    for (std::int64_t pts = 0; pts < 5 * 48'000; pts += kBlock) {
        put(pts);
    }
    sound_.pictureDrawn(3.5, 3.5);
    ASSERT_TRUE(next(3.5));
    EXPECT_NEAR(block_.begin(), 3.2, 0.006);
    sound_.put(kFormat, INT64_MIN, put_.front(), true, 0);  // no time at all
    sound_.put(kFormat, INT64_MAX, put_.front(), true, 0);
    int rest = 0;
    while (next(4.5)) {
        ++rest;
    }
    EXPECT_NEAR(rest, 160, 2);
}

}  // namespace
}  // namespace verbcast::testing
