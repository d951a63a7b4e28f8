// Heartbeats, with a simulated clock; relating the peer's clock to ours, even if the peer lies.
#include "core/session/liveness.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <random>

#include "core/session/host_clock.h"

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
    EXPECT_LE(now - lastByte, 981 * kMillisecond);
}

// Else each look would follow a frame by the same time, and one of a period that divides it would meet each.
TEST(Liveness, LooksKeepTheirTimesWhateverElseWakesTheirThread) {
    Liveness liveness(900ms, hostId(), kStart, true);
    liveness.pingDue(kStart);
    const auto due = liveness.untilNext(kStart);
    liveness.heard(1, kStart + 17 * kMillisecond);
    EXPECT_EQ(liveness.untilNext(kStart + 17 * kMillisecond), due - 17ms);
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

constexpr TimestampNs kMinTime = std::numeric_limits<TimestampNs>::min();
constexpr TimestampNs kMaxTime = std::numeric_limits<TimestampNs>::max();

TEST(PeerClock, RecoversTheOffsetWithinHalfTheRoundTrip) {
    constexpr TimestampNs kOffset = 123'456'789'000;
    std::mt19937 random(3);
    PeerClock clock;
    TimestampNs ours = 1'000'000;
    for (int i = 0; i < 50; ++i) {
        const TimestampNs there = 5'000 + random() % 300'000;
        const TimestampNs back = 5'000 + random() % 300'000;
        clock.addSample(ours, ours + there + kOffset, ours + there + kOffset + 700,
                        ours + there + 700 + back);
        const TimestampNs wrong = clock.toLocal(kOffset + 42) - 42;
        EXPECT_LE(std::abs(wrong), clock.errorNs());
        ours += 1'000'000;
    }
    EXPECT_LT(clock.errorNs(), 200'000);
}

TEST(PeerClock, OneHostHasOneClock) {
    PeerClock clock;
    clock.setSameHost();
    clock.addSample(0, 1'000'000, 1'000'000, 10);
    EXPECT_EQ(clock.toLocal(77), 77);
    EXPECT_EQ(clock.errorNs(), 0);
}

TEST(PeerClock, SamplesThatCannotBeAreIgnored) {
    PeerClock clock;
    clock.addSample(200, 0, 0, 100);                // answered before it was asked
    clock.addSample(100, 50, 20, 200);              // the peer's time runs backwards
    clock.addSample(100, 0, 101, 200);              // the peer's processing took longer than the round trip
    clock.addSample(100, kMinTime, kMaxTime, 200);  // the same, beyond the range of the type
    clock.addSample(100, kMaxTime, kMinTime, 200);
    clock.addSample(100, 0, kMaxTime, 200);
    clock.addSample(kMaxTime, 0, 0, 200);
    EXPECT_FALSE(clock.known());
    EXPECT_EQ(clock.toLocal(77), 77);
    clock.addSample(100, 1'000'050, 1'000'050, 200);
    EXPECT_TRUE(clock.known());
    EXPECT_EQ(clock.toLocal(1'000'077), 77 + 100);
}

TEST(PeerClock, TimesThatDoNotFitBecomeTheNearestThatDo) {
    PeerClock ahead;
    ahead.addSample(0, 1000, 1000, 0);
    EXPECT_EQ(ahead.toLocal(kMinTime), kMinTime);
    EXPECT_EQ(ahead.toLocal(kMinTime + 2000), kMinTime + 1000);
    PeerClock behind;
    behind.addSample(0, -1000, -1000, 0);
    EXPECT_EQ(behind.toLocal(kMaxTime), kMaxTime);
    EXPECT_EQ(behind.toLocal(kMaxTime - 2000), kMaxTime - 1000);
}

TEST(PeerClock, AnySampleGivesARoundTripThatIsNotNegative) {
    constexpr std::array kTimes{kMinTime,       kMinTime + 1, TimestampNs{-1}, TimestampNs{0},
                                TimestampNs{1}, kMaxTime - 1, kMaxTime};
    for (const TimestampNs t1 : kTimes) {
        for (const TimestampNs t2 : kTimes) {
            for (const TimestampNs t3 : kTimes) {
                PeerClock clock;
                clock.addSample(t1, t2, t3, 1'000'000);
                EXPECT_GE(clock.errorNs(), 0) << t1 << " " << t2 << " " << t3;
                // Later on the peer's clock must not be earlier on ours.
                EXPECT_LE(clock.toLocal(kMinTime), clock.toLocal(0)) << t1 << " " << t2 << " " << t3;
                EXPECT_LE(clock.toLocal(0), clock.toLocal(kMaxTime)) << t1 << " " << t2 << " " << t3;
            }
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
