// Heartbeats, with a simulated clock.
#include "core/session/liveness.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr TimestampNs kMillisecond = 1'000'000;
constexpr TimestampNs kStart = 1'000'000 * kMillisecond;

HostId anotherHost() {
    HostId host = hostId();
    host.bytes[3] ^= 0xff;
    return host;
}

TEST(Liveness, SilenceLongerThanThePatienceIsALossAndSaysHowLong) {
    Liveness liveness(900ms, hostId(), kStart);
    EXPECT_FALSE(liveness.silentFor(kStart + 900 * kMillisecond));
    const auto silence = liveness.silentFor(kStart + 1200 * kMillisecond);
    ASSERT_TRUE(silence);
    EXPECT_EQ(*silence, 1200ms);
}

/// Looks every 200 ms, as a link does.
void look(Liveness& liveness, std::uint64_t bytes, int fromMs, int toMs) {
    for (int at = fromMs; at <= toMs; at += 200) {
        liveness.heard(bytes, kStart + at * kMillisecond);
    }
}

TEST(Liveness, AnyByteIsASignOfLifeAndTheSameCountIsNone) {
    Liveness liveness(900ms, hostId(), kStart);
    look(liveness, 0, 200, 600);
    look(liveness, 10, 800, 1600);
    EXPECT_FALSE(liveness.silentFor(kStart + 1700 * kMillisecond));
    EXPECT_TRUE(liveness.silentFor(kStart + 1800 * kMillisecond)) << "no new bytes for a second";
    liveness.heard(11, kStart + 1800 * kMillisecond);
    EXPECT_FALSE(liveness.silentFor(kStart + 1900 * kMillisecond));
}

// A stopped program, or a starved machine: the peer's bytes may lie unread.
TEST(Liveness, TimeInWhichNobodyLookedIsNotThePeersSilence) {
    Liveness liveness(900ms, hostId(), kStart);
    look(liveness, 10, 200, 400);
    liveness.heard(10, kStart + 5000 * kMillisecond);
    EXPECT_FALSE(liveness.silentFor(kStart + 5000 * kMillisecond));
    look(liveness, 10, 5200, 6000);
    EXPECT_TRUE(liveness.silentFor(kStart + 6000 * kMillisecond)) << "it says nothing afterwards either";
    // A thread that is held up before each look still ends.
    Liveness slow(900ms, hostId(), kStart);
    int looks = 0;
    for (TimestampNs now = kStart; !slow.silentFor(now); now += 2000 * kMillisecond, ++looks) {
        slow.heard(0, now);
        ASSERT_LT(looks, 10);
    }
}

TEST(Liveness, APingIsDueAtOnceAndThenFiveTimesASecond) {
    Liveness liveness(900ms, hostId(), kStart);
    int pings = 0;
    for (TimestampNs now = kStart; now < kStart + 1000 * kMillisecond; now += kMillisecond) {
        pings += liveness.pingDue(now) ? 1 : 0;
        pings += liveness.pingDue(now) ? 1 : 0;  // the due ping counts as sent
    }
    EXPECT_EQ(pings, 5);
}

TEST(Liveness, SleepsEndWhenThereMayBeSomethingToSayAndNeverTakeNoTime) {
    Liveness liveness(300ms, hostId(), kStart);
    ASSERT_TRUE(liveness.pingDue(kStart));
    EXPECT_EQ(liveness.untilNext(kStart), 200ms) << "the next ping";
    liveness.pingDue(kStart + 200 * kMillisecond);
    EXPECT_EQ(liveness.untilNext(kStart + 200 * kMillisecond), 100ms) << "the end of the patience";
    EXPECT_GT(liveness.untilNext(kStart + 5000 * kMillisecond), 0ns);
}

// The last byte was taken by another thread just after a check: the loss is still noticed within a second.
TEST(Liveness, BytesThatOtherThreadsTakeAreLookedForOftenEnough) {
    Liveness liveness(900ms, hostId(), kStart, true);
    const TimestampNs lastByte = kStart + kMillisecond;
    TimestampNs now = kStart;
    while (!liveness.silentFor(now)) {
        liveness.pingDue(now);
        now += liveness.untilNext(now).count();
        liveness.heard(now >= lastByte ? 1 : 0, now);
    }
    EXPECT_LE(now - lastByte, 951 * kMillisecond);
}

TEST(Liveness, OnOneHostTheClocksAreOneAndNoQuickPingsFollow) {
    Liveness liveness(900ms, hostId(), kStart);
    EXPECT_TRUE(liveness.clock().known());
    EXPECT_EQ(liveness.clock().toLocal(12345), 12345);
    EXPECT_FALSE(liveness.takePong({kStart, 5, 5}, kStart + kMillisecond));
}

TEST(Liveness, BetweenHostsSomePingsFollowAtOnceHoweverManyPongsThePeerMakesUp) {
    Liveness liveness(900ms, anotherHost(), kStart);
    EXPECT_FALSE(liveness.clock().known());
    int quick = 0;
    for (int i = 0; i < 1000; ++i) {
        quick += liveness.takePong({kStart, kStart + 7, kStart + 7}, kStart + kMillisecond) ? 1 : 0;
    }
    EXPECT_GE(quick, 4);
    EXPECT_LE(quick, 16);
    EXPECT_TRUE(liveness.clock().known());
    EXPECT_EQ(liveness.clock().errorNs(), kMillisecond / 2);
}

TEST(Liveness, APongWithImpossibleTimesTellsNothing) {
    Liveness liveness(900ms, anotherHost(), kStart);
    liveness.takePong({kStart + 10 * kMillisecond, 0, 0}, kStart);  // sent in the future
    liveness.takePong({kStart, 0, 900 * kMillisecond},
                      kStart + kMillisecond);  // claims to have taken longer than the round trip
    EXPECT_FALSE(liveness.clock().known());
}

}  // namespace
}  // namespace verbcast::testing
