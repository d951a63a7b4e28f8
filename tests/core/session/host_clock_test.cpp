// Relating the peer's clock to ours, even if the peer lies.
#include "core/session/host_clock.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <random>

namespace verbcast::testing {
namespace {

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
