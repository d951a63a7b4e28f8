// Sharing a sender's slots: how many slow receivers may hold, and which ones are disconnected.
#include "core/flow/slot_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace verbcast::testing {
namespace {

using Holder = SlotBudget::Holder;
using Holders = std::vector<Holder>;

constexpr std::uint32_t kSlots = 8;
constexpr std::uint32_t kLongSlots = kSlots - 3;
constexpr std::uint64_t kFirst = 100;  // frame

/// How many more frames receivers that lag may hold: one that asks for older frames than all others.
std::uint32_t roomForLong(SlotBudget& budget) {
    constexpr Holder kLate = 1000;
    budget.join(kLate, 0);
    std::uint32_t room = 0;
    while (budget.hold(kLate, room)) {
        ++room;
    }
    budget.leave(kLate);
    return room;
}

TEST(SlotBudget, AReceiverThatKeepsUpIsNeverAskedHoweverMuchSlowOnesHold) {
    SlotBudget budget(kSlots);
    budget.join(1, 0);  // keeps up
    budget.join(2, 0);  // stalls
    std::uint32_t held = 0;
    for (std::uint64_t frame = 0; frame < 1000; ++frame) {
        ASSERT_TRUE(budget.offered(frame).empty()) << frame;
        ASSERT_TRUE(budget.hold(1, frame)) << frame;
        held += budget.hold(2, frame) ? 1 : 0;
        // It finishes each frame while the next one is the newest.
        if (frame > 0) {
            budget.release(1, frame - 1, static_cast<TimestampNs>(frame));
        }
    }
    EXPECT_EQ(held, kLongSlots);
}

TEST(SlotBudget, StalledReceiversShareTheSameFramesAndGetNoMore) {
    SlotBudget budget(kSlots);
    for (Holder holder = 1; holder <= 16; ++holder) {
        budget.join(holder, 0);
    }
    std::map<Holder, std::set<std::uint64_t>> held;
    for (std::uint64_t frame = 0; frame < 50; ++frame) {
        ASSERT_TRUE(budget.offered(frame).empty()) << "all of them hold the same: nobody has to go";
        for (Holder holder = 1; holder <= 16; ++holder) {
            if (budget.hold(holder, frame)) {
                held[holder].insert(frame);
            }
        }
    }
    for (const auto& [holder, frames] : held) {
        EXPECT_EQ(frames.size(), kLongSlots) << "each has all there is for the slow";
        EXPECT_EQ(frames, held[1]);
    }
}

TEST(SlotBudget, ALateOneMayShareWhatIsHeldForLongAnyway) {
    SlotBudget budget(kSlots);
    budget.join(1, 0);
    budget.join(2, 0);
    ASSERT_TRUE(budget.hold(2, kFirst));
    ASSERT_TRUE(budget.hold(2, kFirst + 1));
    const std::uint64_t newest = kFirst + kLongSlots;
    for (std::uint64_t frame = kFirst; frame < newest; ++frame) {
        static_cast<void>(budget.offered(frame));
        ASSERT_TRUE(budget.hold(1, frame));
    }
    static_cast<void>(budget.offered(newest));  // now 2 lags too
    EXPECT_FALSE(budget.hold(2, newest)) << "no room for one more";
    EXPECT_TRUE(budget.hold(2, newest - 1)) << "held for long already";
    EXPECT_EQ(roomForLong(budget), 0U);
}

TEST(SlotBudget, AReceiverThatHasReturnedOldFramesAndIsQuickAgainKeepsUp) {
    SlotBudget budget(kSlots);
    budget.join(1, 0);
    for (std::uint64_t frame = kFirst; frame < kFirst + kLongSlots; ++frame) {
        static_cast<void>(budget.offered(frame));
        ASSERT_TRUE(budget.hold(1, frame));
    }
    const std::uint64_t newest = kFirst + kLongSlots + 1;
    static_cast<void>(budget.offered(newest));
    ASSERT_FALSE(budget.hold(1, newest));
    for (std::uint64_t frame = kFirst; frame < kFirst + kLongSlots; ++frame) {
        budget.release(1, frame, 1);
    }
    EXPECT_EQ(roomForLong(budget), kLongSlots);
    ASSERT_TRUE(budget.hold(1, newest));
    EXPECT_EQ(roomForLong(budget), kLongSlots - 1) << "it has not shown yet that it keeps up";
    budget.release(1, newest, 2);  // while it was still the newest
    static_cast<void>(budget.offered(newest + 1));
    ASSERT_TRUE(budget.hold(1, newest + 1));
    EXPECT_EQ(roomForLong(budget), kLongSlots) << "now it has";
}

TEST(SlotBudget, WhenTooMuchIsHeldTheOneGoesThatFinishedNothingForLongest) {
    SlotBudget budget(kSlots);
    budget.join(1, 10);
    budget.join(2, 5);
    budget.join(3, 20);
    // 1 and 2 hold all slots for slow receivers; 3 keeps up so far.
    for (std::uint64_t frame = kFirst; frame < kFirst + kLongSlots; ++frame) {
        ASSERT_TRUE(budget.offered(frame).empty());
        ASSERT_TRUE(budget.hold(1 + frame % 2, frame));
    }
    const std::uint64_t newest = kFirst + kLongSlots;
    static_cast<void>(budget.offered(newest));
    ASSERT_TRUE(budget.hold(3, newest));
    EXPECT_TRUE(budget.offered(newest + 1).empty());
    // Now 3 lags too.
    EXPECT_EQ(budget.offered(newest + 2), Holders{2});
    EXPECT_FALSE(budget.hold(2, newest + 2)) << "it counts no more";
    EXPECT_EQ(roomForLong(budget), 1U);
    budget.release(2, kFirst + 1, 30);  // a late release changes nothing
    EXPECT_TRUE(budget.offered(newest + 3).empty());
}

TEST(SlotBudget, AsManyGoAsItTakesToFreeASlot) {
    SlotBudget budget(kSlots);
    for (const Holder stalled : {1, 2, 3}) {
        budget.join(stalled, 0);
    }
    budget.join(9, 100);
    const std::uint64_t newest = kFirst + kLongSlots;
    for (std::uint64_t frame = kFirst; frame < newest; ++frame) {
        static_cast<void>(budget.offered(frame));
        for (const Holder stalled : {1, 2, 3}) {
            ASSERT_TRUE(budget.hold(stalled, frame));
        }
    }
    static_cast<void>(budget.offered(newest));
    ASSERT_TRUE(budget.hold(9, newest));
    static_cast<void>(budget.offered(newest + 1));
    // Disconnecting one of them would free nothing: the others hold the same frames.
    Holders going = budget.offered(newest + 2);
    std::ranges::sort(going);
    EXPECT_EQ(going, (Holders{1, 2, 3}));
    EXPECT_EQ(roomForLong(budget), kLongSlots - 1);
}

TEST(SlotBudget, OneThatHoldsOnlyTheNewestFramesIsNotSentAway) {
    SlotBudget budget(4);  // one slot for slow receivers
    budget.join(1, 0);
    static_cast<void>(budget.offered(0));
    ASSERT_TRUE(budget.hold(1, 0));
    static_cast<void>(budget.offered(1));
    ASSERT_TRUE(budget.hold(1, 1));
    EXPECT_TRUE(budget.offered(2).empty()) << "only frame 0 is held for long: 1 is one of the newest";
    budget.release(1, 0, 1);
    EXPECT_TRUE(budget.offered(3).empty());
}

TEST(SlotBudget, AViewerThatKeepsItsPictureUntilItHasTheNextIsNotStuck) {
    for (const std::uint32_t slots : {2U, 4U, 8U}) {
        SlotBudget budget(slots);
        budget.join(1, 0);
        budget.join(2, 0);
        // Others hold all slots for slow receivers, except for the one shown here.
        std::uint64_t newest = 0;
        for (; newest + 4 < slots; ++newest) {
            static_cast<void>(budget.offered(newest));
            ASSERT_TRUE(budget.hold(2, newest));
        }
        static_cast<void>(budget.offered(newest));
        ASSERT_TRUE(budget.hold(1, newest));
        const std::uint64_t shown = newest;
        for (; newest < shown + 5; ++newest) {  // busy for a while
            EXPECT_TRUE(budget.offered(newest + 1).empty());
        }
        EXPECT_TRUE(budget.hold(1, newest)) << slots;
        budget.release(1, shown, 1);
        EXPECT_TRUE(budget.offered(newest + 1).empty());
    }
}

TEST(SlotBudget, TheOnlyOneIsNotSentAwayUntilAnotherComes) {
    SlotBudget budget(4);  // one slot for slow receivers
    EXPECT_TRUE(budget.join(1, 0).empty());
    for (std::uint64_t frame = 0; frame < 2; ++frame) {
        static_cast<void>(budget.offered(frame));
        ASSERT_TRUE(budget.hold(1, frame));
    }
    for (std::uint64_t frame = 2; frame < 10; ++frame) {
        EXPECT_TRUE(budget.offered(frame).empty()) << "it costs nobody anything";
        EXPECT_FALSE(budget.hold(1, frame)) << "but gets no more";
    }
    EXPECT_EQ(budget.join(2, 1), Holders{1}) << "now it would";
}

TEST(SlotBudget, TheRailsOfTheOnlyReceiverAreNotSentAway) {
    SlotBudget budget(4);  // one slot for slow receivers
    EXPECT_TRUE(budget.join(1, 0, 1).empty());
    EXPECT_TRUE(budget.join(2, 0, 1).empty());
    for (std::uint64_t frame = 0; frame < 4; ++frame) {
        EXPECT_TRUE(budget.offered(frame).empty());
        EXPECT_TRUE(budget.hold(1 + frame % 2, frame));
    }
    for (std::uint64_t frame = 4; frame < 10; ++frame) {
        EXPECT_TRUE(budget.offered(frame).empty()) << "it costs nobody anything";
    }
    EXPECT_FALSE(budget.join(3, 1).empty()) << "now it would";
}

TEST(SlotBudget, ARingMayHaveFewerSlotsThanTheSenderMayHold) {
    SlotBudget budget(8);
    budget.join(1, 0);
    budget.join(2, 1);
    for (std::uint64_t frame = 0; frame < 2; ++frame) {
        static_cast<void>(budget.offered(frame, 4));
        ASSERT_TRUE(budget.hold(1, frame));
    }
    EXPECT_TRUE(budget.offered(2, 4).empty());
    EXPECT_EQ(budget.offered(3, 4), Holders{1});
}

TEST(SlotBudget, WithdrawnAndLeftFramesCountNoMore) {
    SlotBudget budget(kSlots);
    budget.join(1, 0);
    budget.join(2, 0);
    const std::uint64_t newest = kFirst + kLongSlots;
    for (std::uint64_t frame = kFirst; frame < newest; ++frame) {
        static_cast<void>(budget.offered(frame));
        ASSERT_TRUE(budget.hold(1, frame));
        ASSERT_TRUE(budget.hold(2, frame));
    }
    static_cast<void>(budget.offered(newest));
    EXPECT_EQ(roomForLong(budget), 0U);
    budget.withdraw(1, newest - 1);
    EXPECT_EQ(roomForLong(budget), 0U) << "2 holds it, too";
    budget.withdraw(2, newest - 1);
    EXPECT_EQ(roomForLong(budget), 1U);
    budget.leave(2);
    EXPECT_EQ(roomForLong(budget), 1U);
    budget.leave(1);
    EXPECT_EQ(roomForLong(budget), kLongSlots);
    EXPECT_FALSE(budget.hold(1, newest)) << "it is not there any more";
}

/// Random receivers of random speed, each with a queue of the two newest frames as in SenderTrack: there is
/// always a free slot for the next frame.
TEST(SlotBudget, ASlotForTheNextFrameIsFreeWhateverReceiversDo) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        std::mt19937 random(seed);
        const std::uint32_t slots = 4 + random() % 12;
        SlotBudget budget(slots);
        struct Model {
            std::set<std::uint64_t> held;
            std::uint64_t next = 0;
            unsigned speed = 0;
        };
        std::map<Holder, Model> receivers;
        Holder lastId = 0;
        budget.join(1'000'000, 0);  // keeps up, so that no other receiver is the only one
        for (std::uint64_t newest = 2; newest < 2000; ++newest) {
            if (receivers.size() < 10 && random() % 4 == 0) {
                ASSERT_TRUE(budget.join(++lastId, static_cast<TimestampNs>(newest)).empty());
                receivers[lastId].speed = random() % 4;
                receivers[lastId].next = newest;
            }
            for (const Holder gone : budget.offered(newest)) {
                ASSERT_EQ(receivers.erase(gone), 1U);
            }
            std::set<std::uint64_t> used{newest, newest - 1};
            for (const auto& [holder, model] : receivers) {
                used.insert(model.held.begin(), model.held.end());
            }
            ASSERT_LE(used.size() + 1, slots) << "seed " << seed << " frame " << newest;
            for (auto& [holder, model] : receivers) {
                if (random() % 50 == 0) {
                    model.speed = random() % 4;  // 0: stalled
                }
                // A late link still has the previous frame in its queue when the newest is offered.
                const std::uint64_t late = newest >= 2 && random() % 8 == 0 ? newest - 2 : newest - 1;
                for (std::uint64_t frame = std::max(model.next, late); frame <= newest; ++frame) {
                    if (random() % 3 != 0 && budget.hold(holder, frame)) {
                        model.held.insert(frame);
                        model.next = frame + 1;
                    }
                }
                for (unsigned step = 0; step < model.speed && !model.held.empty(); ++step) {
                    budget.release(holder, *model.held.begin(), static_cast<TimestampNs>(newest));
                    model.held.erase(model.held.begin());
                }
                if (random() % 100 == 0 && !model.held.empty()) {
                    const std::uint64_t newestHeld = *model.held.rbegin();
                    budget.withdraw(holder, newestHeld);
                    model.held.erase(newestHeld);
                }
            }
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
