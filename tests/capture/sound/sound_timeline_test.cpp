// Positions from time stamps that are coarse, missing or wrong.
#include "capture/sound/sound_timeline.h"

extern "C" {
#include <libavutil/avutil.h>
}

#include <gtest/gtest.h>

#include <cmath>

namespace verbcast::testing {
namespace {

constexpr AVRational kMilliseconds{1, 1000};

std::int64_t roundedStamp(std::int64_t position) {
    return std::llround(static_cast<double>(position) / 44.1);
}

TEST(SoundTimeline, CountsWhereStampsAreRounded) {
    SoundTimeline timeline(kMilliseconds, 0, 44100);
    for (std::int64_t at = 0; at < 100 * 1024; at += 1024) {
        EXPECT_EQ(timeline.place(roundedStamp(at), 1024).at, at);
    }
    EXPECT_TRUE(timeline.isExact());
}

TEST(SoundTimeline, LandsOnTheSampleAfterASeek) {
    SoundTimeline timeline(kMilliseconds, 0, 44100);
    EXPECT_FALSE(timeline.isExact());
    // The first frame is shortened; the others are as long as Vorbis's, multiples of 64.
    std::int64_t at = 0;
    for (const std::uint32_t length : {100U, 576U, 1024U, 128U, 576U, 128U}) {
        EXPECT_EQ(timeline.place(roundedStamp(at), length).at, at);
        at += length;
    }
    for (const std::int64_t frame : {100 + 64 * 1000, 100 + 64 * 1001, 100 + 64 * 77}) {
        timeline.restart(false);
        EXPECT_EQ(timeline.place(roundedStamp(frame), 1024).at, frame);
        // Shortened at its beginning, as decoders do after a seek.
        timeline.restart(false);
        EXPECT_EQ(timeline.place(roundedStamp(frame + 300), 1024 - 300).at, frame + 300);
    }
    timeline.restart(true);
    EXPECT_EQ(timeline.place(0, 100).at, 0);
}

TEST(SoundTimeline, BelievesStampsThatJump) {
    SoundTimeline timeline({1, 48000}, 0, 48000);
    EXPECT_EQ(timeline.place(0, 1024).at, 0);
    const auto later = timeline.place(2048, 1024);
    EXPECT_EQ(later.at, 2048);
    EXPECT_FALSE(later.follows);
    EXPECT_EQ(timeline.place(1000, 1024).at, 1000);
    const auto day = timeline.place(24LL * 3600 * 48000, 1024);
    EXPECT_EQ(day.at, 24LL * 3600 * 48000);
    const auto next = timeline.place(AV_NOPTS_VALUE, 1024);
    EXPECT_EQ(next.at, day.at + 1024);
    EXPECT_TRUE(next.follows);
    for (const std::int64_t absurd : {INT64_MAX, INT64_MIN + 1, std::int64_t{1} << 60}) {
        EXPECT_TRUE(timeline.place(absurd, 1024).follows) << absurd;
    }
}

TEST(SoundTimeline, BeginsWhereTheFileBegins) {
    SoundTimeline timeline({1, 44100}, 1'023'220, 44100);  // 45124 samples, in microseconds
    EXPECT_EQ(timeline.place(45124, 1024).at, 0);
    SoundTimeline unstamped({1, 44100}, 0, 44100);
    EXPECT_EQ(unstamped.place(AV_NOPTS_VALUE, 1024).at, 0);
    EXPECT_EQ(unstamped.place(AV_NOPTS_VALUE, 1024).at, 1024);
}

TEST(SoundTimeline, GoesOnAtAnotherRate) {
    SoundTimeline timeline({1, 90000}, 0, 48000);
    EXPECT_EQ(timeline.place(0, 48000).at, 0);
    timeline.setRate(44100);
    const auto next = timeline.place(90000, 441);
    EXPECT_EQ(next.at, 44100);
    EXPECT_TRUE(next.follows);
}

}  // namespace
}  // namespace verbcast::testing
