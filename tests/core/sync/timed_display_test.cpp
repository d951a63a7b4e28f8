// A display with a simulated clock: which frame it draws next, and when it shows it.
#include "core/sync/timed_display.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kBeginDisplay = 1'000'000'000;

ReceivedFrame frameOf(std::uint64_t sequence, TimestampNs presentAt = 0) {
    ReceivedFrame frame;
    frame.info.sequence = sequence;
    frame.presentAt = presentAt;
    frame.session = 1;  // the first connection
    return frame;
}

ReceivedFrame changed(std::uint64_t sequence, FrameRect rect) {
    ReceivedFrame frame = frameOf(sequence);
    frame.info.rectCount = 1;
    frame.info.rects[0] = rect;
    return frame;
}

TEST(TimedDisplay, HoldingAFrameIsDueOnlyWhenItIsTold) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    display.put(frameOf(4), kBeginDisplay);
    display.put(frameOf(5), kBeginDisplay);
    ASSERT_EQ(display.next(kBeginDisplay)->info.sequence, 4U);
    EXPECT_FALSE(display.next(kBeginDisplay)) << "one at a time";
    EXPECT_FALSE(display.due());
    EXPECT_EQ(display.drawn(kBeginDisplay + 5), 4U);
    EXPECT_FALSE(display.due());
    display.order({.sequence = 4, .due = kBeginDisplay + 100}, kBeginDisplay + 10);
    EXPECT_EQ(display.due(), kBeginDisplay + 100);
    const auto told = display.shown(kBeginDisplay + 101, ShownBy::Swap);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->sequence, 4U);
    EXPECT_EQ(told->shownAt, kBeginDisplay + 101);
    EXPECT_EQ(told->due, kBeginDisplay + 100);
    EXPECT_EQ(told->couldAt, kBeginDisplay + 10);
    EXPECT_EQ(told->by, ShownBy::Swap);
    EXPECT_EQ(display.next(kBeginDisplay)->info.sequence, 5U);
}

TEST(TimedDisplay, HoldingWhatTheOthersLackIsLeftOut) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    for (std::uint64_t sequence = 1; sequence <= 4; ++sequence) {
        display.put(frameOf(sequence), kBeginDisplay);
    }
    ASSERT_TRUE(display.next(kBeginDisplay));
    ASSERT_EQ(display.drawn(kBeginDisplay), 1U);
    display.order({.sequence = 3, .due = 0}, kBeginDisplay);
    EXPECT_TRUE(display.idle());
    ASSERT_EQ(display.next(kBeginDisplay)->info.sequence, 3U);
    EXPECT_EQ(display.drawn(kBeginDisplay), 3U);
    EXPECT_FALSE(display.due());
    EXPECT_EQ(display.skipped(), 2U);
}

TEST(TimedDisplay, AnOrderThatPassesAFrameOverWhileItIsDrawnLeavesItUntold) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    display.put(frameOf(1), kBeginDisplay);
    ASSERT_TRUE(display.next(kBeginDisplay));
    display.order({.sequence = 2, .due = kBeginDisplay + 9}, kBeginDisplay);
    EXPECT_FALSE(display.drawn(kBeginDisplay));
    EXPECT_FALSE(display.due());
    display.put(frameOf(2), kBeginDisplay);  // arrives after its order
    ASSERT_TRUE(display.next(kBeginDisplay));
    EXPECT_EQ(display.drawn(kBeginDisplay), 2U);
    EXPECT_EQ(display.due(), kBeginDisplay + 9);
}

TEST(TimedDisplay, OrdersThatGoBackAreRefused) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    display.order({.sequence = 7, .due = 0}, kBeginDisplay);
    EXPECT_THROW(display.order({.sequence = 6, .due = 5}, kBeginDisplay), Error);
}

TEST(TimedDisplay, GoingAFrameIsDueAtItsOwnTime) {
    TimedDisplay display(8);
    display.begin(SyncMode::Go, kBeginDisplay);
    display.put(frameOf(1, kBeginDisplay + 50), kBeginDisplay);
    ASSERT_TRUE(display.next(kBeginDisplay));
    EXPECT_EQ(display.drawn(kBeginDisplay + 3), 1U);
    EXPECT_EQ(display.due(), kBeginDisplay + 50);
    EXPECT_EQ(display.shown(kBeginDisplay + 50, ShownBy::Timer)->couldAt, kBeginDisplay + 3);
}

TEST(TimedDisplay, GoingAFrameWhoseSuccessorIsDueIsLeftOut) {
    TimedDisplay display(8);
    display.begin(SyncMode::Go, kBeginDisplay);
    display.put(frameOf(1, kBeginDisplay + 10), kBeginDisplay);
    display.put(frameOf(2, kBeginDisplay + 20), kBeginDisplay);
    display.put(frameOf(3, kBeginDisplay + 30), kBeginDisplay);
    EXPECT_EQ(display.next(kBeginDisplay + 21)->info.sequence, 2U);
    EXPECT_EQ(display.skipped(), 1U);
}

TEST(TimedDisplay, GoingLosslessTimeAlonePassesFramesOverThatNobodyDraws) {
    TimedDisplay display(8);
    display.begin(SyncMode::Go, kBeginDisplay);
    EXPECT_FALSE(display.passesAt());
    for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
        ReceivedFrame frame = frameOf(sequence, kBeginDisplay + 10 * static_cast<TimestampNs>(sequence));
        frame.lossless = true;
        display.put(std::move(frame), kBeginDisplay);
    }
    EXPECT_EQ(display.passesAt(), kBeginDisplay + 20);
    EXPECT_FALSE(display.passOver(kBeginDisplay + 19));
    EXPECT_TRUE(display.passOver(kBeginDisplay + 20));
    EXPECT_EQ(display.skipped(), 1U);
    EXPECT_EQ(display.passesAt(), kBeginDisplay + 30);
    EXPECT_TRUE(display.passOver(kBeginDisplay + 100));
    EXPECT_FALSE(display.passesAt()) << "the newest stays";
    EXPECT_EQ(display.next(kBeginDisplay + 100)->info.sequence, 3U);
}

TEST(TimedDisplay, WhatChangedInFramesThatAreLeftOutIsAddedToTheNext) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    display.put(changed(1, {0, 0, 4, 4}), kBeginDisplay);
    display.put(changed(2, {8, 8, 4, 4}), kBeginDisplay);
    display.order({.sequence = 2, .due = 0}, kBeginDisplay);
    const auto next = display.next(kBeginDisplay);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->info.rectCount, 2U);
}

TEST(TimedDisplay, FourSlotsStayFreeUnlessTheSenderWaits) {
    TimedDisplay display(6);
    display.begin(SyncMode::Hold, kBeginDisplay);
    for (std::uint64_t sequence = 0; sequence < 5; ++sequence) {
        display.put(frameOf(sequence), kBeginDisplay);
    }
    EXPECT_EQ(display.skipped(), 3U);
    EXPECT_EQ(display.next(kBeginDisplay)->info.sequence, 0U) << "the others wait for the earlier ones";

    TimedDisplay waitedFor(6);
    waitedFor.begin(SyncMode::Hold, kBeginDisplay);
    for (std::uint64_t sequence = 0; sequence < 6; ++sequence) {
        ReceivedFrame frame = frameOf(sequence);
        frame.lossless = true;
        waitedFor.put(std::move(frame), kBeginDisplay);
    }
    EXPECT_EQ(waitedFor.skipped(), 0U);
}

TEST(TimedDisplay, WithoutASenderThatTellsTheNewestIsShownAtOnce) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    display.put(frameOf(1), kBeginDisplay);
    ASSERT_TRUE(display.next(kBeginDisplay));
    display.drawn(kBeginDisplay);
    display.put(frameOf(2), kBeginDisplay);
    display.put(frameOf(3), kBeginDisplay);
    display.release(kBeginDisplay + 40);
    EXPECT_EQ(display.due(), kBeginDisplay + 40);
    EXPECT_FALSE(display.shown(kBeginDisplay + 41, ShownBy::Timer)) << "nobody listens";
    EXPECT_EQ(display.next(kBeginDisplay + 42)->info.sequence, 3U);
    EXPECT_FALSE(display.drawn(kBeginDisplay + 42));
    EXPECT_EQ(display.due(), kBeginDisplay + 42);
}

TEST(TimedDisplay, WhatWasToBeShownLaterIsDueOnceNobodyTells) {
    for (const bool newConnection : {false, true}) {
        TimedDisplay display(8);
        display.begin(SyncMode::Hold, kBeginDisplay);
        display.put(frameOf(1), kBeginDisplay);
        ASSERT_TRUE(display.next(kBeginDisplay));
        display.drawn(kBeginDisplay);
        display.order({.sequence = 1, .due = std::numeric_limits<TimestampNs>::max()}, kBeginDisplay);
        if (newConnection) {
            display.begin(SyncMode::Hold, kBeginDisplay + 7);
        } else {
            display.release(kBeginDisplay + 7);
        }
        EXPECT_EQ(display.due(), kBeginDisplay + 7);
    }
}

TEST(TimedDisplay, FramesOfAConnectionBeforeAreNotToldOfToTheNextSender) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    display.put(frameOf(100), kBeginDisplay);
    display.put(frameOf(101), kBeginDisplay);
    ASSERT_TRUE(display.next(kBeginDisplay));
    display.begin(SyncMode::Hold, kBeginDisplay + 1);
    EXPECT_FALSE(display.drawn(kBeginDisplay + 2));
    EXPECT_TRUE(display.due()) << "it is shown all the same";
    EXPECT_FALSE(display.shown(kBeginDisplay + 3, ShownBy::Timer));
    EXPECT_FALSE(display.next(kBeginDisplay + 3));
    display.order({.sequence = 0, .due = 0}, kBeginDisplay + 3);  // sequences may restart
}

TEST(TimedDisplay, FramesOfAConnectionBeforeThatWereOnTheirWayAreLeftOut) {
    TimedDisplay display(8);
    display.begin(SyncMode::Hold, kBeginDisplay);
    const std::uint64_t session = display.begin(SyncMode::Hold, kBeginDisplay);
    display.put(changed(100, {0, 0, 4, 4}), kBeginDisplay);
    EXPECT_FALSE(display.wantsDrawing());
    EXPECT_TRUE(display.owesChanges());
    ReceivedFrame frame = changed(3, {8, 8, 4, 4});
    frame.session = session;
    display.put(std::move(frame), kBeginDisplay);
    const auto next = display.next(kBeginDisplay);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->info.sequence, 3U);
    EXPECT_EQ(next->info.rectCount, 2U);
    EXPECT_FALSE(display.owesChanges());
    EXPECT_EQ(display.drawn(kBeginDisplay), 3U);
}

TEST(TimedDisplay, WhatIsPassedOverGivesItsSlotBackThoughNothingIsDrawn) {
    for (const SyncMode mode : {SyncMode::Hold, SyncMode::Go}) {
        TimedDisplay display(8);
        display.begin(mode, kBeginDisplay);
        for (std::uint64_t sequence = 0; sequence < 6; ++sequence) {
            ReceivedFrame frame = frameOf(sequence, kBeginDisplay + static_cast<TimestampNs>(sequence));
            frame.lossless = true;
            const TimestampNs now = kBeginDisplay + (mode == SyncMode::Go && sequence == 5 ? 4 : 0);
            display.put(std::move(frame), now);
        }
        if (mode == SyncMode::Hold) {
            EXPECT_EQ(display.skipped(), 0U);
            display.order({.sequence = 4, .due = 0}, kBeginDisplay);
        }
        EXPECT_EQ(display.skipped(), 4U) << nameOf(mode);
    }
}

}  // namespace
}  // namespace verbcast::testing
