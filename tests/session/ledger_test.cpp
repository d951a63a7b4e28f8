// The books that both ends keep about slots, over a path that only writes down what it is told.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "core/session/sink_ledger.h"
#include "core/session/source_ledger.h"

namespace verbcast {
namespace {

class FakePath final : public FramePath {
  public:
    explicit FakePath(bool shares) : shares_(shares) {}
    void setHandler(FrameHandler*) override {}
    bool sharesMemory() const override { return shares_; }
    Import import(const std::shared_ptr<const Memory>&) override { return {}; }
    void prepare(const std::shared_ptr<FramePool>& pool) override { prepared.push_back(pool); }
    void offer(RingId ring, std::shared_ptr<FramePool>) override {
        offered.push_back(ring);
        if (whenOffered) {
            whenOffered();
        }
    }
    void retire(RingId ring) override { retired.push_back(ring); }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte>) override {
        accepted.push_back(ring);
        if (!shares_) {
            return nullptr;
        }
        const auto pool = FramePool::create(
            {.slotBytes = shape.slotBytes, .slotCount = shape.slotCount, .hugePages = false});
        pool->slots().takeFree([](std::uint32_t) {});  // the peer's, as a mapped one is
        pools.push_back(pool);
        return pool;
    }
    void forget(RingId ring) override {
        forgotten.push_back(ring);
        std::erase(accepted, ring);
    }
    UniqueFd takeLifeline(RingId) override { return std::move(lifeline); }
    Status send(const OutgoingFrame& frame) override {
        if (next != Status::Ok) {
            return next;
        }
        sent.push_back(frame);
        return Status::Ok;
    }
    std::uint64_t payloadBytesMoved() const override { return 0; }

    std::function<void()> whenOffered;
    std::vector<RingId> offered, retired, accepted, forgotten;
    std::vector<OutgoingFrame> sent;
    std::vector<std::weak_ptr<FramePool>> pools;
    std::vector<std::shared_ptr<FramePool>> prepared;
    UniqueFd lifeline;
    Status next = Status::Ok;

  private:
    bool shares_;
};

std::shared_ptr<FramePool> pool(std::uint32_t slots = 4, std::uint64_t slotBytes = 4096) {
    return FramePool::create({.slotBytes = slotBytes, .slotCount = slots, .hugePages = false});
}

FrameInfo frame(std::uint64_t sequence, std::uint64_t bytes = 100) {
    FrameInfo info;
    info.sequence = sequence;
    info.payloadBytes = bytes;
    return info;
}

RingMessage ringOf(RingId ring, std::uint32_t slots = 4) {
    RingMessage message;
    message.ring = ring;
    message.shape = {4096, slots};
    return message;
}

Credit creditOf(RingId ring, std::initializer_list<std::uint16_t> slots) {
    Credit credit;
    credit.ring = ring;
    for (const std::uint16_t slot : slots) {
        credit.slots.push(slot);
    }
    return credit;
}

void nothing(std::uint64_t) {}

template <typename Call>
void expectPeerError(Call&& call, const char* why) {
    try {
        call();
        ADD_FAILURE() << why;
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Peer) << why;
    }
}

/// What giveCredits() gives, by ring.
std::vector<Credit> creditsOf(SinkLedger& ledger, std::uint32_t atLeast = 1) {
    std::vector<Credit> credits;
    ledger.giveCredits(
        7, [&](const Credit& credit) { credits.push_back(credit); }, atLeast);
    return credits;
}

TEST(SourceLedgerWritten, SendsOnlyIntoSlotsThatWereGivenAndKeepsTheLeaseUntilSent) {
    FakePath path(false);
    SourceLedger ledger(path, 5);
    const auto frames = pool();
    ledger.setSource(frames, 0);
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

TEST(SourceLedgerWritten, ACreditForASlotThatWasNotHeldIsRefused) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
    ledger.setSource(pool(), 0);
    ledger.takeRing(ringOf(1));
    ledger.takeCredit(creditOf(1, {0, 1}), nothing);
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {1}), nothing); }, "given twice");
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {4}), nothing); }, "beyond the ring");
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {65535}), nothing); }, "far beyond the ring");
}

TEST(SourceLedgerWritten, CreditsOfARingThatWasReplacedMeanNothing) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
    ledger.setSource(pool(), 0);
    ledger.takeRing(ringOf(1));
    ledger.takeCredit(creditOf(1, {0}), nothing);
    ledger.takeRing(ringOf(2));
    EXPECT_EQ(path.forgotten.back(), 1U) << "replaced";
    EXPECT_FALSE(ledger.hasRoom()) << "what was given of the old ring is gone with it";
    ledger.takeCredit(creditOf(1, {1, 1, 999}), nothing);  // were on their way
    EXPECT_FALSE(ledger.hasRoom());
    ledger.takeCredit(creditOf(2, {0}), nothing);
    EXPECT_TRUE(ledger.hasRoom());
}

TEST(SourceLedgerWritten, ATransportThatTakesNoMoreLeavesLeaseAndSlot) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
    const auto frames = pool();
    ledger.setSource(frames, 0);
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

TEST(SourceLedgerWritten, FramesLeaveInOrderOrTheTransportIsBroken) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
    const auto frames = pool();
    ledger.setSource(frames, 0);
    ledger.takeRing(ringOf(1));
    ledger.takeCredit(creditOf(1, {0, 1}), nothing);
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(8)), Status::Ok);
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(9)), Status::Ok);
    EXPECT_THROW(ledger.sent(1), Error);
    EXPECT_EQ(ledger.sent(0), 8U);
    EXPECT_EQ(ledger.sent(1), 9U);
    EXPECT_THROW(ledger.sent(1), Error);
}

TEST(SourceLedgerWritten, ASlotThatWasUsedMayBeGivenAgain) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
    const auto frames = pool();
    ledger.setSource(frames, 0);
    ledger.takeRing(ringOf(1));
    for (std::uint64_t i = 0; i < 100; ++i) {
        ledger.takeCredit(creditOf(1, {1}), nothing);
        ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(i)), Status::Ok);
        ASSERT_EQ(ledger.sent(0), i);
    }
}

TEST(SourceLedgerWritten, TheFirstRingMayHaveAnyNumber) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
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
        path.lifeline = UniqueFd(ends[0]);
        peer = UniqueFd(ends[1]);
        ledger.setSource(frames, 6);
        for (std::uint64_t sequence = 10; sequence < 13; ++sequence) {
            ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(sequence)), Status::Ok);
        }
    }
    void tell(const std::vector<std::uint16_t>& slots) {
        ASSERT_EQ(::send(peer.get(), slots.data(), slots.size() * 2, MSG_NOSIGNAL),
                  static_cast<ssize_t>(slots.size() * 2));
    }
    /// How many lifelines are left.
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
    hear();
    EXPECT_EQ(hear(), 0U);
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

TEST(SourceLedgerShared, LendsItsOwnSlotsUntilTheyComeBack) {
    FakePath path(true);
    SourceLedger ledger(path, 0);
    const auto frames = pool();
    ledger.setSource(frames, 6);
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

TEST(SourceLedgerShared, TheOfferMayBeReadyFromWithinTheCall) {
    FakePath path(true);
    SourceLedger ledger(path, 0);
    for (const auto& frames : {pool(4), pool(7)}) {
        std::uint32_t told = 0;
        path.whenOffered = [&] { told = ledger.source()->slotCount(); };
        ledger.setSource(frames, told + 1);
        EXPECT_EQ(told, frames->slotCount());
    }
}

TEST(SourceLedgerShared, WhatWasNotLentCannotComeBack) {
    FakePath path(true);
    SourceLedger ledger(path, 0);
    const auto frames = pool();
    ledger.setSource(frames, 6);
    ASSERT_EQ(ledger.send(std::move(*frames->tryAcquire()), frame(0)), Status::Ok);
    expectPeerError([&] { ledger.takeCredit(creditOf(6, {1}), nothing); }, "never lent");
    expectPeerError([&] { ledger.takeCredit(creditOf(6, {400}), nothing); }, "no such slot");
    expectPeerError([&] { ledger.takeCredit(creditOf(5, {0}), nothing); }, "no such ring");
    ledger.takeCredit(creditOf(6, {0}), nothing);
    expectPeerError([&] { ledger.takeCredit(creditOf(6, {0}), nothing); }, "given back twice");
    expectPeerError([&] { ledger.takeRing(ringOf(1)); }, "a ring where ours is read");
}

TEST(SourceLedgerShared, FramesOfAnOlderPoolComeBackAfterTheChange) {
    FakePath path(true);
    SourceLedger ledger(path, 0);
    const auto before = pool();
    const auto after = pool();
    ledger.setSource(before, 1);
    ASSERT_EQ(ledger.send(std::move(*before->tryAcquire()), frame(1)), Status::Ok);
    ledger.setSource(after, 2);
    ASSERT_EQ(ledger.send(std::move(*after->tryAcquire()), frame(2)), Status::Ok);
    std::vector<std::uint64_t> left;
    const auto note = [&](std::uint64_t sequence) { left.push_back(sequence); };
    ledger.takeCredit(creditOf(1, {0}), note);
    EXPECT_EQ(before->slots().freeCount(), 4U);
    EXPECT_EQ(after->slots().freeCount(), 3U);
    EXPECT_EQ(path.retired, std::vector<RingId>{1}) << "no frame can follow in it";
    ledger.takeCredit(creditOf(2, {0}), note);
    EXPECT_EQ(left, (std::vector<std::uint64_t>{1, 2}));
    ledger.setSource(pool(), 3);
    expectPeerError([&] { ledger.takeCredit(creditOf(1, {0}), nothing); }, "of a ring that was forgotten");
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

TEST(SinkLedgerWritten, WhatThePeerWasNotGivenItMayNotFill) {
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
    // A viewer that keeps one picture while the sender changes its size as often as it likes.
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
}  // namespace verbcast
