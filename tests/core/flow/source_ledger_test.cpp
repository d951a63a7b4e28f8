// A sender's bookkeeping of slots.
#include "core/flow/source_ledger.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "tests/core/session/fake_path.h"

namespace verbcast::testing {
namespace {

Credit creditOf(RingId ring, std::initializer_list<std::uint16_t> slots) {
    Credit credit;
    credit.ring = ring;
    for (const std::uint16_t slot : slots) {
        credit.slots.push(slot);
    }
    return credit;
}

void nothing(std::uint64_t) {}

struct SourceLedgerWritten : ::testing::Test {
    FakePath path{false};
    SourceLedger ledger{path, 5};
    const std::shared_ptr<FramePool> frames = pool();
};

TEST_F(SourceLedgerWritten, SendsOnlyIntoSlotsThatWereGivenAndKeepsTheLeaseUntilSent) {
    ledger.addSource(frames, 0);
    EXPECT_EQ(path.prepared.back(), frames);
    EXPECT_FALSE(ledger.hasRoom());
    ledger.takeRing(ringOf(3));
    EXPECT_EQ(ledger.remoteSlotBytes(), 4096U);
    EXPECT_FALSE(ledger.hasRoom()) << "a ring is no leave to write";
    auto lease = frames->tryAcquire();
    EXPECT_EQ(ledger.send(std::move(*lease), frame(0)), Status::Busy);
    ASSERT_TRUE(*lease) << "a frame that was not taken stays with its owner";
    ledger.takeCredit(creditOf(3, {2}), nothing);
    ASSERT_EQ(ledger.send(std::move(*lease), frame(0)), Status::Ok);
    EXPECT_FALSE(*lease);
    EXPECT_EQ(path.sent.back().ring, 3U);
    EXPECT_EQ(path.sent.back().remoteSlot, 2U);
    EXPECT_EQ(path.sent.back().localSlot, 0U);
    EXPECT_FALSE(ledger.hasRoom());
    EXPECT_EQ(ledger.inFlight(), 1U);
    EXPECT_EQ(frames->slots().freeCount(), 3U);
    EXPECT_EQ(ledger.sent(0), 0U);
    EXPECT_EQ(frames->slots().freeCount(), 4U);
    EXPECT_EQ(ledger.inFlight(), 0U);
}

TEST_F(SourceLedgerWritten, ACreditForASlotThatWasNotHeldIsRefused) {
    ledger.addSource(pool(), 0);
    ledger.takeRing(ringOf(1));
    ledger.takeCredit(creditOf(1, {0, 1}), nothing);
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {1}), nothing); }, "given twice");
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {4}), nothing); }, "beyond the ring");
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {65535}), nothing); }, "far beyond the ring");
}

TEST_F(SourceLedgerWritten, CreditsOfARingThatWasReplacedMeanNothing) {
    ledger.addSource(pool(), 0);
    ledger.takeRing(ringOf(1));
    ledger.takeCredit(creditOf(1, {0}), nothing);
    ledger.takeRing(ringOf(2));
    EXPECT_EQ(path.forgotten.back(), 1U) << "replaced";
    EXPECT_FALSE(ledger.hasRoom()) << "what was given of the old ring is gone with it";
    ledger.takeCredit(creditOf(1, {1, 1, 999}), nothing);  // were in flight
    EXPECT_FALSE(ledger.hasRoom());
    ledger.takeCredit(creditOf(2, {0}), nothing);
    EXPECT_TRUE(ledger.hasRoom());
}

TEST_F(SourceLedgerWritten, ATransportThatTakesNoMoreLeavesLeaseAndSlot) {
    ledger.addSource(frames, 0);
    ledger.takeRing(ringOf(1));
    ledger.takeCredit(creditOf(1, {3}), nothing);
    auto lease = frames->tryAcquire();
    for (const Status status : {Status::Busy, Status::Closed}) {
        path.next = status;
        EXPECT_EQ(ledger.send(std::move(*lease), frame(0)), status);
        ASSERT_TRUE(*lease);
    }
    path.next = Status::Ok;
    EXPECT_EQ(ledger.send(std::move(*lease), frame(0)), Status::Ok);
    EXPECT_EQ(path.sent.back().remoteSlot, 3U);
}

TEST_F(SourceLedgerWritten, FramesLeaveInOrderOrTheTransportIsBroken) {
    ledger.addSource(frames, 0);
    ledger.takeRing(ringOf(1));
    ledger.takeCredit(creditOf(1, {0, 1}), nothing);
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(8)), Status::Ok);
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(9)), Status::Ok);
    EXPECT_THROW(ledger.sent(1), Error);
    EXPECT_EQ(ledger.sent(0), 8U);
    EXPECT_EQ(ledger.sent(1), 9U);
    EXPECT_THROW(ledger.sent(1), Error);
}

TEST_F(SourceLedgerWritten, ASlotThatWasUsedMayBeGivenAgain) {
    ledger.addSource(frames, 0);
    ledger.takeRing(ringOf(1));
    for (std::uint64_t i = 0; i < 100; ++i) {
        ledger.takeCredit(creditOf(1, {1}), nothing);
        ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(i)), Status::Ok);
        ASSERT_EQ(ledger.sent(0), i);
    }
}

TEST_F(SourceLedgerWritten, KnowsWhichFrameEachSlotHoldsAndTakesTheNewest) {
    ledger.addSource(frames, 0);
    ledger.takeRing(ringOf(1));
    EXPECT_FALSE(ledger.nextSlotHolds()) << "no room";
    ledger.takeCredit(creditOf(1, {0, 1, 2}), nothing);
    EXPECT_FALSE(ledger.nextSlotHolds()) << "never written";
    for (std::uint64_t sequence = 20; sequence < 23; ++sequence) {
        ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(sequence)), Status::Ok);
        ledger.sent(0);
    }
    std::array<std::uint16_t, 3> slotOf{};
    for (std::size_t i = 0; i < 3; ++i) {
        slotOf.at(i) = static_cast<std::uint16_t>(path.sent.at(i).remoteSlot);
    }
    ledger.takeCredit(creditOf(1, {slotOf[1]}), nothing);
    ledger.takeCredit(creditOf(1, {slotOf[2]}), nothing);
    ledger.takeCredit(creditOf(1, {slotOf[0], 3}), nothing);
    path.next = Status::Busy;
    EXPECT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(23)), Status::Busy);
    EXPECT_EQ(ledger.nextSlotHolds(), 22U) << "what was not sent changed nothing";
    path.next = Status::Ok;
    for (const std::uint64_t held : {22, 21, 20}) {
        EXPECT_EQ(ledger.nextSlotHolds(), held) << "whatever the order in which they came back";
        ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(30 + held)), Status::Ok);
        ledger.sent(0);
    }
    EXPECT_FALSE(ledger.nextSlotHolds()) << "the slot that was never written is the last choice";
    ledger.takeCredit(creditOf(1, {slotOf[0]}), nothing);
    EXPECT_EQ(ledger.nextSlotHolds(), 50U);
    ledger.takeRing(ringOf(2));
    ledger.takeCredit(creditOf(2, {slotOf[0]}), nothing);
    EXPECT_FALSE(ledger.nextSlotHolds()) << "a new ring holds nothing";
}

TEST_F(SourceLedgerWritten, TheFirstRingMayHaveAnyNumber) {
    ledger.takeRing(ringOf(0));
    EXPECT_EQ(path.accepted, std::vector<RingId>{0})
        << "else a peer could make frames for a ring that is none";
    ledger.takeRing(ringOf(4));
    EXPECT_EQ(path.accepted, std::vector<RingId>{4});
}

/// Frames 10, 11 and 12 are lent in slots 0, 1 and 2 of a ring when the connection ends.
class SourceLedgerLeft : public ::testing::Test {
  protected:
    void SetUp() override {
        std::array<int, 2> ends{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        path.deathSocket = UniqueFd(ends[0]);
        peer = UniqueFd(ends[1]);
        ledger.addSource(frames, 6);
        for (std::uint64_t sequence = 10; sequence < 13; ++sequence) {
            ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(sequence)), Status::Ok);
        }
    }
    void tell(const std::vector<std::uint16_t>& slots) {
        ASSERT_EQ(::send(peer.get(), slots.data(), slots.size() * 2, MSG_NOSIGNAL),
                  static_cast<ssize_t>(slots.size() * 2));
    }
    /// Takes back slots; returns the number of peer-death sockets that are still open.
    std::size_t hear() {
        return ledger.releaseUnread([this](std::uint64_t sequence) { left.push_back(sequence); }).size();
    }

    FakePath path{true};
    SourceLedger ledger{path, 0};
    std::shared_ptr<FramePool> frames = pool();
    UniqueFd peer;
    std::vector<std::uint64_t> left;
};

TEST_F(SourceLedgerLeft, SlotsComeBackAsThePeerTells) {
    EXPECT_EQ(hear(), 1U);
    EXPECT_TRUE(left.empty());
    tell({1, 3});
    EXPECT_EQ(hear(), 1U);
    EXPECT_EQ(left, std::vector<std::uint64_t>{11});
    EXPECT_EQ(frames->slots().freeCount(), 2U);
    EXPECT_EQ(ledger.inFlight(), 2U);
    tell({1, 0, 2});
    EXPECT_EQ(hear(), 0U) << "none that is closed";
    EXPECT_EQ(left, (std::vector<std::uint64_t>{11, 10, 12}));
    EXPECT_EQ(frames->slots().freeCount(), 4U);
}

TEST_F(SourceLedgerLeft, APeerThatIsGoneReadsNothing) {
    peer.reset();
    EXPECT_EQ(hear(), 0U);
    EXPECT_EQ(left.size(), 3U);
    EXPECT_EQ(frames->slots().freeCount(), 4U);
}

TEST_F(SourceLedgerLeft, APeerThatTellsNonsenseIsNotListenedTo) {
    tell({4});
    EXPECT_EQ(hear(), 0U);
    EXPECT_EQ(frames->slots().freeCount(), 4U);
}

TEST_F(SourceLedgerLeft, APeerThatNeverStopsTellingIsNotListenedTo) {
    int turns = 0;
    do {
        tell({3});
    } while (hear() > 0 && ++turns < 100);
    EXPECT_LT(turns, 10);
}

struct SourceLedgerShared : ::testing::Test {
    FakePath path{true};
    SourceLedger ledger{path, 5};
    const std::shared_ptr<FramePool> frames = pool();
};

TEST_F(SourceLedgerShared, LendsItsOwnSlotsUntilTheyComeBack) {
    ledger.addSource(frames, 6);
    EXPECT_EQ(path.offered, std::vector<RingId>{6});
    EXPECT_TRUE(ledger.hasRoom()) << "the sender's slots are all the room there is";
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(10)), Status::Ok);
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(11)), Status::Ok);
    EXPECT_EQ(path.sent.back().ring, 6U);
    EXPECT_EQ(path.sent.back().remoteSlot, path.sent.back().localSlot);
    EXPECT_EQ(ledger.inFlight(), 2U);
    std::vector<std::uint64_t> left;
    ledger.takeCredit(creditOf(6, {1, 0}), [&](std::uint64_t sequence) { left.push_back(sequence); });
    EXPECT_EQ(left, (std::vector<std::uint64_t>{11, 10})) << "in whatever order the viewer lets go";
    EXPECT_EQ(frames->slots().freeCount(), 4U);
}

TEST_F(SourceLedgerShared, TheOfferMayBeReadyFromWithinTheCall) {
    for (const auto& each : {pool(4), pool(7)}) {
        std::uint32_t told = 0;
        path.whenOffered = [&] { told = ledger.source()->slotCount(); };
        ledger.addSource(each, told + 1);
        EXPECT_EQ(told, each->slotCount());
    }
}

TEST_F(SourceLedgerShared, ASlotIsLentOnceAtATime) {
    ledger.addSource(frames, 7);
    auto lease = frames->tryAcquire();
    auto again = lease->share();
    ASSERT_EQ(ledger.send(std::move(*lease), frame(0)), Status::Ok);
    EXPECT_EQ(ledger.send(std::move(again), frame(1)), Status::Busy) << "the peer reads it";
    ASSERT_TRUE(again);
    ledger.takeCredit(creditOf(7, {0}), nothing);
    EXPECT_EQ(ledger.send(std::move(again), frame(1)), Status::Ok);
    EXPECT_EQ(ledger.inFlight(), 1U);
    ledger.takeCredit(creditOf(7, {0}), [](std::uint64_t sequence) { EXPECT_EQ(sequence, 1U); });
    EXPECT_EQ(frames->slots().freeCount(), 4U);
}

TEST_F(SourceLedgerShared, WhatWasNotLentCannotComeBack) {
    ledger.addSource(frames, 6);
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(0)), Status::Ok);
    expectPeerError([&] { ledger.takeCredit(creditOf(6, {1}), nothing); }, "never lent");
    expectPeerError([&] { ledger.takeCredit(creditOf(6, {400}), nothing); }, "no such slot");
    expectPeerError([&] { ledger.takeCredit(creditOf(5, {0}), nothing); }, "no such ring");
    ledger.takeCredit(creditOf(6, {0}), nothing);
    expectPeerError([&] { ledger.takeCredit(creditOf(6, {0}), nothing); }, "given back twice");
    expectPeerError([&] { ledger.takeRing(ringOf(1)); }, "a ring where ours is read");
}

TEST_F(SourceLedgerShared, FramesOfAnOlderPoolComeBackAfterTheChange) {
    const auto before = pool();
    const auto after = pool();
    ledger.addSource(before, 1);
    ASSERT_EQ(ledger.send(std::move(*before->tryAcquire()), frame(1)), Status::Ok);
    ledger.closeSources();
    ledger.addSource(after, 2);
    ASSERT_EQ(ledger.send(std::move(*after->tryAcquire()), frame(2)), Status::Ok);
    std::vector<std::uint64_t> left;
    const auto note = [&](std::uint64_t sequence) { left.push_back(sequence); };
    ledger.takeCredit(creditOf(1, {0}), note);
    EXPECT_EQ(before->slots().freeCount(), 4U);
    EXPECT_EQ(after->slots().freeCount(), 3U);
    EXPECT_EQ(path.retired, std::vector<RingId>{1}) << "no frame can follow in it";
    ledger.takeCredit(creditOf(2, {0}), note);
    EXPECT_EQ(left, (std::vector<std::uint64_t>{1, 2}));
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {0}), nothing); }, "of a slot that has come back");
    ledger.addSource(pool(), 3);
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {0}), nothing); }, "of a ring that was forgotten");
}

TEST_F(SourceLedgerShared, FramesOfSeveralPoolsMayFollowEachOther) {
    const auto one = pool(), other = pool();
    ledger.addSource(one, 1);
    ledger.addSource(other, 2);
    EXPECT_EQ(ledger.openBesides().span().size(), 1U);
    std::uint64_t sequence = 0;
    for (const auto& from : {one, other, one}) {
        ASSERT_TRUE(ledger.hasSource(from));
        ASSERT_EQ(ledger.send(std::move(*from->tryAcquire()), frame(sequence++)), Status::Ok);
        EXPECT_EQ(path.sent.back().ring, from == one ? 1U : 2U);
    }
    EXPECT_TRUE(path.retired.empty());
    std::vector<std::shared_ptr<FramePool>> more;
    for (RingId ring = 3; ring <= kMaxOpenRings + 1; ++ring) {
        more.push_back(pool());
        ledger.addSource(more.back(), ring);
    }
    EXPECT_EQ(path.retired, std::vector<RingId>{1}) << "the earliest makes room";
    EXPECT_FALSE(ledger.hasSource(one));
    EXPECT_EQ(ledger.openBesides().span().size(), kMaxOpenRings - 1);
    more.clear();
    path.prepared.clear();
    path.sent.clear();
    ledger.addSource(one, 100);
    EXPECT_EQ(ledger.openBesides().span().size(), 1U) << "those of pools that are gone are closed";
}

}  // namespace
}  // namespace verbcast::testing
