// A receiver's bookkeeping of slots.
#include "core/flow/sink_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/session/fake_path.h"

namespace verbcast::testing {
namespace {

/// The credits from giveCredits(), by ring.
std::vector<Credit> creditsOf(SinkLedger& ledger, std::uint32_t atLeast = 1) {
    std::vector<Credit> credits;
    ledger.giveCredits(
        7, [&](const Credit& credit) { credits.push_back(credit); }, atLeast);
    return credits;
}

TEST(SinkLedgerWritten, GivesEachSlotOnceAndAgainWhenItsLeaseIsGone) {
    FakePath path(false);
    SinkLedger ledger(path, 2);
    EXPECT_FALSE(ledger.hasRing());
    ledger.provide(pool(), 1);
    EXPECT_EQ(path.offered, std::vector<RingId>{1});
    auto credits = creditsOf(ledger);
    ASSERT_EQ(credits.size(), 1U);
    EXPECT_EQ(credits[0].slots.count, 4U);
    EXPECT_EQ(credits[0].track, 2U);
    EXPECT_EQ(credits[0].nextSequence, 7U);
    EXPECT_TRUE(creditsOf(ledger).empty());
    const FrameTarget target = ledger.begin(1, 3, frame(0));
    EXPECT_EQ(target.pool, ledger.pool());
    EXPECT_EQ(target.slot, 3U);
    EXPECT_TRUE(ledger.receiving());
    auto lease = ledger.arrive(1, 3, frame(0));
    EXPECT_FALSE(ledger.receiving());
    EXPECT_TRUE(ledger.anyDelivered());
    EXPECT_TRUE(creditsOf(ledger).empty()) << "the consumer still has it";
    lease.reset();
    credits = creditsOf(ledger);
    ASSERT_EQ(credits.size(), 1U);
    EXPECT_EQ(credits[0].slots.span()[0], 3U);
    EXPECT_FALSE(ledger.anyDelivered());
}

TEST(SinkLedgerWritten, CreditsMayWaitForMore) {
    FakePath path(false);
    SinkLedger ledger(path, 0);
    ledger.provide(pool(), 1);
    EXPECT_EQ(creditsOf(ledger, 4).size(), 1U);
    ledger.arrive(1, 0, frame(0)).reset();
    EXPECT_TRUE(creditsOf(ledger, 2).empty());
    ledger.arrive(1, 1, frame(1)).reset();
    ASSERT_EQ(creditsOf(ledger, 2).size(), 1U);
}

TEST(SinkLedgerWritten, ThePeerMayFillOnlyTheSlotsThatItWasGiven) {
    FakePath path(false);
    SinkLedger ledger(path, 0);
    ledger.provide(pool(), 1);
    expectPeerError([&] { ledger.begin(1, 0, frame(0)); }, "before it was given");
    expectPeerError([&] { ledger.arrive(1, 0, frame(0)); }, "before it was given");
    creditsOf(ledger);
    expectPeerError([&] { ledger.begin(1, 4, frame(0)); }, "beyond the ring");
    expectPeerError([&] { ledger.begin(2, 0, frame(0)); }, "no such ring");
    expectPeerError([&] { ledger.begin(1, 0, frame(0, 0)); }, "no payload");
    expectPeerError([&] { ledger.begin(1, 0, frame(0, 4097)); }, "more than a slot");
    expectPeerError([&] { ledger.arrive(1, 0, frame(0, 4097)); }, "more than a slot");
    auto lease = ledger.arrive(1, 0, frame(0));
    expectPeerError([&] { ledger.arrive(1, 0, frame(1)); }, "while it is being read");
    expectPeerError([&] { ledger.begin(1, 0, frame(1)); }, "while it is being read");
    lease.reset();
    expectPeerError([&] { ledger.arrive(1, 0, frame(1)); }, "free, but not given again");
}

TEST(SinkLedgerWritten, ANewRingTakesTheOldOneBack) {
    FakePath path(false);
    SinkLedger ledger(path, 0);
    const auto old = pool();
    ledger.provide(old, 1);
    creditsOf(ledger);
    auto lease = ledger.arrive(1, 2, frame(0));
    ledger.provide(pool(4, 8192), 2);
    EXPECT_EQ(path.retired, std::vector<RingId>{1});
    EXPECT_FALSE(ledger.knows(1));
    EXPECT_EQ(ledger.ring(), 2U);
    expectPeerError([&] { ledger.arrive(1, 1, frame(1)); }, "of the ring that was retired");
    EXPECT_EQ(old->slots().freeCount(), 0U) << "what the peer had is nobody's until the pool is used again";
    lease.reset();
    const auto credits = creditsOf(ledger);
    ASSERT_EQ(credits.size(), 1U);
    EXPECT_EQ(credits[0].ring, 2U) << "nothing is given of the old one";
    ledger.provide(old, 3);
    EXPECT_EQ(creditsOf(ledger).at(0).slots.count, 4U) << "the peer's slots were reclaimed";
}

TEST(SinkLedgerWritten, NoNewRingInTheMiddleOfAFrame) {
    FakePath path(false);
    SinkLedger ledger(path, 0);
    ledger.provide(pool(), 1);
    creditsOf(ledger);
    ledger.begin(1, 0, frame(0));
    expectPeerError([&] { ledger.provide(pool(4, 8192), 2); }, "a frame is half received");
    auto lease = ledger.arrive(1, 0, frame(0));
    ledger.provide(pool(4, 8192), 2);
    expectPeerError([&] { ledger.takeRing(ringOf(1)); }, "a ring of somebody who writes into ours");
}

TEST(SinkLedgerShared, SlotsComeBackToTheRingTheyAreOf) {
    FakePath path(true);
    SinkLedger ledger(path, 0);
    ledger.takeRing(ringOf(4));
    EXPECT_EQ(path.accepted, std::vector<RingId>{4});
    EXPECT_TRUE(creditsOf(ledger).empty()) << "the peer's slots are its own";
    auto old = ledger.arrive(4, 1, frame(0));
    ledger.takeRing(ringOf(5));
    EXPECT_TRUE(ledger.knows(4)) << "until all of it came back";
    auto young = ledger.arrive(5, 1, frame(1));
    old.reset();
    young.reset();
    const auto credits = creditsOf(ledger);
    ASSERT_EQ(credits.size(), 2U);
    EXPECT_EQ(credits[0].ring, 5U);
    EXPECT_EQ(credits[1].ring, 4U);
    expectPeerError([&] { ledger.arrive(7, 0, frame(2)); }, "no such ring");
    expectPeerError([&] { ledger.arrive(5, 4, frame(2)); }, "no such slot");
}

TEST(SinkLedgerShared, AFrameThatIsHeldDoesNotKeepTheRingsAfterIt) {
    // A viewer keeps one picture while the sender keeps changing its size.
    FakePath path(true);
    SinkLedger ledger(path, 0);
    ledger.takeRing(ringOf(1));
    const auto kept = ledger.arrive(1, 0, frame(0));
    for (RingId ring = 2; ring < 400; ++ring) {
        ASSERT_NO_THROW(ledger.takeRing(ringOf(ring))) << ring;
        ledger.arrive(ring, 0, frame(ring)).reset();
        ASSERT_EQ(creditsOf(ledger).size(), 1U);
    }
    EXPECT_TRUE(ledger.knows(1));
    const auto alive = std::ranges::count_if(path.pools, [](const auto& each) { return !each.expired(); });
    EXPECT_LE(alive, 3) << "rings that nobody reads any more are unmapped";
}

TEST(SinkLedgerShared, APeerThatOffersRingAfterRingIsStopped) {
    FakePath path(true);
    SinkLedger ledger(path, 0);
    std::vector<FrameLease> held;
    expectPeerError(
        [&] {
            for (RingId ring = 1; ring < 1000; ++ring) {
                ledger.takeRing(ringOf(ring));
                held.push_back(ledger.arrive(ring, 0, frame(ring)));
            }
        },
        "a thousand rings with frames in them");
    EXPECT_GE(held.size(), 64U) << "as many as an honest one may need";
}

}  // namespace
}  // namespace verbcast::testing
