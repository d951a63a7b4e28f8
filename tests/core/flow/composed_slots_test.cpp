// Slots that several senders write into: who may write to which, and when a frame is complete.
#include "core/flow/composed_slots.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <set>

#include "core/flow/sink_ledger.h"
#include "core/flow/source_ledger.h"
#include "tests/core/session/fake_path.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kSenders = 2;
constexpr PlaceRule kRule{.places = 3, .pace = 10};
constexpr std::uint32_t kRingSlots = 5;  // two more than there are places

TEST(PlaceRule, GoesRoundAllPlacesAlsoBeforeZero) {
    EXPECT_EQ(kRule.placeOf(0), 0U);
    EXPECT_EQ(kRule.placeOf(9), 0U);
    EXPECT_EQ(kRule.placeOf(10), 1U);
    EXPECT_EQ(kRule.placeOf(30), 0U);
    EXPECT_EQ(kRule.placeOf(-1), 2U);
    EXPECT_EQ(kRule.placeOf(-10), 2U);
    EXPECT_EQ(kRule.placeOf(-11), 1U);
    EXPECT_LT(kRule.placeOf(std::numeric_limits<std::int64_t>::min()), 3U);
    EXPECT_LT(kRule.placeOf(std::numeric_limits<std::int64_t>::max()), 3U);
}

class Joint : public ::testing::Test {
  protected:
    Joint() {
        for (std::size_t i = 0; i < kSenders; ++i) {
            slots_->open(i);
        }
        grantAll();
    }
    void grantAll() {
        for (std::size_t i = 0; i < kSenders; ++i) {
            const PlacedCredit credit = slots_->grant(i);
            for (std::size_t k = 0; k < credit.slots.count; ++k) {
                const bool fresh =
                    granted_[i].emplace(credit.places.values[k], credit.slots.values[k]).second;
                EXPECT_TRUE(fresh) << "a place that has a slot already";
            }
        }
    }
    /// The given sender's part of a frame arrives.
    FrameLease arrive(std::size_t sender, std::uint16_t place) {
        const auto given = granted_[sender].find(place);
        EXPECT_NE(given, granted_[sender].end());
        auto lease = slots_->part(sender)->adopt(given->second);
        EXPECT_TRUE(lease);
        granted_[sender].erase(given);
        return std::move(*lease);
    }
    std::optional<FrameLease> join(FrameLease& a, FrameLease& b) {
        const std::array<FrameLease*, 2> leases{&a, &b};
        return slots_->join(leases);
    }
    std::optional<FrameLease> frameOf(std::uint16_t place) {
        FrameLease a = arrive(0, place), b = arrive(1, place);
        return join(a, b);
    }

    const std::shared_ptr<FramePool> ring_ =
        FramePool::create({.slotBytes = 4096, .slotCount = kRingSlots, .hugePages = false});
    const std::shared_ptr<ComposedSlots> slots_ =
        ComposedSlots::over(*ring_, kRule, {{{0, 64, 128, 32}}, {{64, 64, 128, 32}}});
    std::map<std::uint16_t, std::uint16_t> granted_[kSenders];  // by place
};

TEST_F(Joint, GivesAllSendersTheSameSlotForAPlace) {
    EXPECT_EQ(granted_[0].size(), 3U);
    EXPECT_EQ(granted_[0], granted_[1]);
    grantAll();
    EXPECT_EQ(granted_[0].size(), 3U) << "each once";
}

TEST_F(Joint, AreAFrameOnceEveryPartLiesInOneSlot) {
    FrameLease a = arrive(0, 1), b = arrive(1, 2);
    EXPECT_FALSE(join(a, b)) << "of two frames";
    EXPECT_TRUE(a);
    FrameLease nothing;
    EXPECT_FALSE(join(a, nothing)) << "the other may still write there";
    FrameLease second = arrive(1, 1);
    const std::uint32_t slot = a.slot();
    auto whole = join(a, second);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->slot(), slot);
    EXPECT_EQ(whole->data(), slots_->part(0)->slotData(slot));
    EXPECT_FALSE(a);
    grantAll();
    EXPECT_NE(granted_[0].at(1), slot) << "the place goes on in another slot";
    EXPECT_EQ(granted_[0].at(1), granted_[1].at(1));
}

TEST_F(Joint, APartThatIsLeftOutIsGivenForTheSamePlaceAgain) {
    FrameLease a = arrive(0, 0);
    const std::uint32_t slot = a.slot();
    a.reset();
    grantAll();
    EXPECT_EQ(granted_[0].at(0), slot);
    EXPECT_EQ(granted_[1].at(0), slot);
}

TEST_F(Joint, NoSlotIsWrittenWhileTheConsumerHasIt) {
    std::vector<FrameLease> held;
    std::set<std::uint32_t> slots;
    for (std::uint16_t i = 0; i < 5; ++i) {
        auto whole = frameOf(static_cast<std::uint16_t>(i % 3));
        ASSERT_TRUE(whole);
        EXPECT_TRUE(slots.insert(whole->slot()).second);
        held.push_back(std::move(*whole));
        grantAll();
        for (const auto& [place, slot] : granted_[0]) {
            EXPECT_FALSE(slots.contains(slot)) << "place " << place;
        }
    }
    EXPECT_TRUE(granted_[0].empty()) << "the consumer holds all";
    for (std::uint16_t i = 2; i < 5; ++i) {  // the place that has waited longest gets a slot first
        held.erase(held.begin());
        grantAll();
        EXPECT_TRUE(granted_[0].contains(static_cast<std::uint16_t>(i % 3)));
        EXPECT_EQ(granted_[0], granted_[1]);
    }
}

/// A closed sender's frames arrive some other way: the caller of join() fills in its part.
TEST_F(Joint, ASenderThatIsClosedIsNotWaitedForAndFindsItsWayBack) {
    slots_->close(1);
    FrameLease nothing;
    FrameLease a = arrive(0, 0);
    auto whole = join(a, nothing);
    ASSERT_TRUE(whole);
    const std::uint32_t shown = whole->slot();
    // The sender returns while the frame is shown: its earlier grants are void.
    granted_[1].clear();
    slots_->part(1)->slots().reclaimTaken();
    slots_->open(1);
    grantAll();
    EXPECT_EQ(granted_[0], granted_[1]);
    for (const auto& [place, slot] : granted_[1]) {
        EXPECT_NE(slot, shown) << "place " << place;
    }
    whole.reset();
    for (std::uint16_t i = 0; i < 12; ++i) {
        grantAll();
        EXPECT_TRUE(frameOf(static_cast<std::uint16_t>(i % 3))) << i;
    }
}

TEST(ComposedRing, FramesOutliveIt) {
    const auto ring = FramePool::create({.slotBytes = 4096, .slotCount = kRingSlots, .hugePages = false});
    auto slots = ComposedSlots::over(*ring, kRule, {{}});
    slots->open(0);
    auto part = slots->part(0)->adopt(slots->grant(0).slots.values[0]);
    ASSERT_TRUE(part);
    const std::array<FrameLease*, 1> leases{&*part};
    auto whole = slots->join(leases);
    ASSERT_TRUE(whole);
    const std::weak_ptr<ComposedSlots> gone = slots;
    slots.reset();
    EXPECT_TRUE(gone.expired());
    whole->data()[0] = std::byte{1};
    whole.reset();
}

TEST(ComposedRing, ALedgerTakesOnlyFramesOfTheSlotsPlace) {
    FakePath path(false);
    const auto ring = FramePool::create({.slotBytes = 4096, .slotCount = kRingSlots, .hugePages = false});
    const auto slots = ComposedSlots::over(*ring, kRule, {{{0, 64, 128, 32}}, {{64, 64, 128, 32}}});
    slots->open(1);
    SinkLedger ledger(path, 0);
    ledger.provide(ComposedPart{slots, 1}, 1);
    PlacedCredit given;
    ledger.giveCredits(4, [&](const auto& credit) {
        if constexpr (std::is_same_v<std::decay_t<decltype(credit)>, PlacedCredit>) {
            given = credit;
        } else {
            FAIL() << "slots without their places";
        }
    });
    ASSERT_EQ(given.slots.count, 3U);
    EXPECT_EQ(given.nextSequence, 4U);
    FrameInfo info = frame(0);
    info.pts = 25;  // belongs to place 2
    std::uint16_t right = 0, wrong = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        (given.places.values[i] == 2 ? right : wrong) = given.slots.values[i];
    }
    const FrameTarget target = ledger.begin(1, right, info);
    ASSERT_EQ(target.within.size(), 1U);
    EXPECT_EQ(target.within[0].offset, 64U);
    expectPeerError([&] { ledger.arrive(1, wrong, info); }, "of another place");
    for (std::uint16_t slot = 0; slot < kRingSlots; ++slot) {
        const auto end = given.slots.values.begin() + 3;
        if (std::find(given.slots.values.begin(), end, slot) == end) {
            expectPeerError([&] { static_cast<void>(ledger.begin(1, slot, info)); }, "of no place");
        }
    }
    EXPECT_TRUE(ledger.arrive(1, right, info));
}

PlacedCredit placedOf(RingId ring, std::initializer_list<std::pair<std::uint16_t, std::uint16_t>> given) {
    PlacedCredit credit;
    credit.ring = ring;
    for (const auto& [place, slot] : given) {
        credit.push(place, slot);
    }
    return credit;
}

TEST(SourceLedgerPlaced, SendsAFrameOnlyIntoTheSlotOfItsPlace) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
    const auto frames = pool();
    ledger.addSource(frames, 0);
    ledger.takeRing(ringOf(1));
    ledger.placeBy(kRule);
    ledger.takePlaced(placedOf(1, {{1, 3}, {2, 0}}));
    EXPECT_FALSE(ledger.hasRoom(0)) << "a slot of another place is none";
    EXPECT_TRUE(ledger.hasRoom(10));
    FrameInfo info = frame(0);
    auto lease = frames->tryAcquire();
    EXPECT_EQ(ledger.send(std::move(*lease), info), Status::Busy);
    info.pts = 44;
    ASSERT_EQ(ledger.send(std::move(*lease), info), Status::Ok);
    EXPECT_EQ(path.sent.back().remoteSlot, 3U);
    EXPECT_FALSE(ledger.hasRoom(10));
    EXPECT_FALSE(ledger.nextSlotHolds(20)) << "never written";
    ledger.takePlaced(placedOf(1, {{0, 3}}));
    EXPECT_EQ(ledger.nextSlotHolds(0), 0U) << "the slot has moved to another place";
}

TEST(SourceLedgerPlaced, RefusesWhatCannotBe) {
    FakePath path(false);
    SourceLedger ledger(path, 0);
    ledger.addSource(pool(), 0);
    ledger.takeRing(ringOf(1));
    expectPeerError([&] { ledger.takePlaced(placedOf(1, {{0, 0}})); }, "places that were not asked for");
    ledger.placeBy(kRule);
    ledger.takePlaced(placedOf(1, {{0, 0}}));
    expectPeerError([&] { ledger.takePlaced(placedOf(1, {{1, 0}})); }, "a slot in two places");
    expectPeerError([&] { ledger.takePlaced(placedOf(1, {{0, 1}})); }, "two slots in a place");
    expectPeerError([&] { ledger.takePlaced(placedOf(1, {{3, 1}})); }, "no place");
    expectPeerError([&] { ledger.takePlaced(placedOf(1, {{1, 4}})); }, "beyond the ring");
    Credit plain;
    plain.ring = 1;
    ledger.takeCredit(plain, [](std::uint64_t) {});  // carries news only
    plain.slots.push(1);
    expectPeerError([&] { ledger.takeCredit(plain, [](std::uint64_t) {}); }, "a slot without its place");
    ledger.takePlaced(placedOf(7, {{9, 9}}));  // for a ring that is gone
}

}  // namespace
}  // namespace verbcast::testing
