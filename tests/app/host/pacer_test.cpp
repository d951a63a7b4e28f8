#include "app/host/pacer.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

constexpr TimestampNs kMillisecond = 1'000'000;
constexpr Rational kTimeBase{1, 25};  // 40 ms

TEST(Pacer, AFrameThatIsLateMakesThoseAfterItNoLater) {
    Pacer pacer(Pacing::Source, {});
    const TimestampNs begin = 1'000 * kMillisecond;
    EXPECT_EQ(pacer.due(0, 0, kTimeBase, begin), begin);
    EXPECT_EQ(pacer.due(1, 1, kTimeBase, begin + 70 * kMillisecond), begin + 40 * kMillisecond);
    EXPECT_EQ(pacer.due(2, 2, kTimeBase, begin + 70 * kMillisecond), begin + 80 * kMillisecond);
}

TEST(Pacer, PostponedTimeIsNotCaughtUpOn) {
    Pacer pacer(Pacing::Source, {});
    const TimestampNs begin = 1'000 * kMillisecond;
    pacer.due(0, 0, kTimeBase, begin);
    pacer.postpone(300 * kMillisecond);
    const TimestampNs now = begin + 300 * kMillisecond;
    EXPECT_EQ(pacer.due(1, 1, kTimeBase, now), now + 40 * kMillisecond);
    EXPECT_EQ(pacer.due(2, 2, kTimeBase, now), now + 80 * kMillisecond);
}

TEST(Pacer, ALongPauseIsAPauseUnlessTheClockMayJump) {
    const TimestampNs begin = 1'000 * kMillisecond;
    constexpr std::int64_t kHour = 3600 * 25;
    Pacer file(Pacing::Source, {});
    file.due(0, 0, kTimeBase, begin);
    EXPECT_EQ(file.due(1, kHour, kTimeBase, begin), begin + 3'600'000 * kMillisecond);
    Pacer broadcast(Pacing::Source, {}, true);
    broadcast.due(0, 0, kTimeBase, begin);
    EXPECT_EQ(broadcast.due(1, 9 * 25, kTimeBase, begin), begin + 9'000 * kMillisecond);
    EXPECT_EQ(broadcast.due(2, kHour, kTimeBase, begin), begin);
    EXPECT_EQ(broadcast.due(3, kHour + 1, kTimeBase, begin), begin + 40 * kMillisecond);
}

TEST(Pacer, ASlowRateIsNoJump) {
    for (const bool mayJump : {false, true}) {
        Pacer pacer(Pacing::Rate, {1, 20}, mayJump);
        const TimestampNs begin = 1'000 * kMillisecond;
        pacer.due(0, 0, kTimeBase, begin);
        EXPECT_EQ(pacer.due(1, 1, kTimeBase, begin), begin + 20'000 * kMillisecond);
    }
}

}  // namespace
}  // namespace verbcast::testing
