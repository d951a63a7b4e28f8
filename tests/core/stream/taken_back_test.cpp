// Frames in shared memory that the sender takes back while a viewer reads them.
#include <gtest/gtest.h>

#include <future>

#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

class TakenBack : public ::testing::Test {
  protected:
    static SenderOptions options() {
        SenderOptions options = senderOptions({"shm", "shm://test-back-#"}, Policy::Latest);
        options.slots = kSlots;
        return options;
    }
    /// Sends one more frame, which the fast viewer receives.
    void sendOne() {
        ASSERT_EQ(source_.send(sender_), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(fast_.receiveNewest(frame, kLimit), Status::Ok);
        ASSERT_TRUE(isWhole(frame) && fast_.confirm(frame));
    }

    static constexpr std::uint32_t kSlots = 4;  // one of them for slow viewers
    TestSource source_{tightFormat(160, 120, PixelFormat::rgba), kSlots};
    Broadcast sender_{options()};
    FrameReceiver slow_{receiverOptions(sender_)};
    FrameReceiver fast_{receiverOptions(sender_)};
};

TEST_F(TakenBack, WhoIsSentAwayKnowsWhichFramesItMayNotBelieve) {
    ASSERT_TRUE(eventually([&] { return sender_.receiverCount() == 2; }));
    ASSERT_EQ(source_.send(sender_), Status::Ok);
    ReceivedFrame held, other;
    ASSERT_EQ(slow_.receive(held, kLimit), Status::Ok);
    ASSERT_EQ(fast_.receive(other, kLimit), Status::Ok);
    other = {};
    EXPECT_TRUE(isWhole(held) && slow_.confirm(held));
    // The slow viewer is disconnected and its slots are reused: the picture that it reads changes.
    while (isWhole(held) && source_.next < 1000 && !HasFatalFailure()) {
        sendOne();
    }
    ASSERT_FALSE(isWhole(held));
    EXPECT_FALSE(slow_.confirm(held));
    EXPECT_GE(slow_.stats().framesDropped, 1U);
    // It reconnects, and the frames still queued for it are discarded.
    const std::uint64_t last = held.info.sequence + 10;
    auto returning = std::async(std::launch::async, [&] {
        for (ReceivedFrame next; slow_.receive(next, kLimit) == Status::Ok;) {
            const bool whole = isWhole(next);
            EXPECT_TRUE(whole || !slow_.confirm(next)) << next.info.sequence;
            if (next.info.sequence > last) {
                return;
            }
        }
        ADD_FAILURE() << "it did not come back: " << slow_.status().text;
    });
    while (returning.wait_for(0s) != std::future_status::ready && !HasFatalFailure()) {
        sendOne();
    }
}

TEST_F(TakenBack, WhatIsNotBelievedIsNotHandedOut) {
    ASSERT_TRUE(eventually([&] { return sender_.receiverCount() == 2; }));
    // It takes nothing and is disconnected. The frames queued for it have been overwritten by then.
    while (slow_.stats().connectionsLost == 0 && source_.next < 1000 && !HasFatalFailure()) {
        sendOne();
    }
    const std::uint64_t last = source_.next;
    for (std::uint32_t i = 0; i < 2 * kSlots; ++i) {
        sendOne();
    }
    ReceivedFrame frame;
    while (slow_.receive(frame, 50ms) == Status::Ok) {
        EXPECT_TRUE(isWhole(frame) && frame.info.sequence >= last) << frame.info.sequence;
        frame = {};
    }
    EXPECT_FALSE(frame.lease) << "nor left behind";
}

TEST_F(TakenBack, NothingIsTakenBackFromWhoKeepsUp) {
    ASSERT_TRUE(eventually([&] { return sender_.receiverCount() == 2; }));
    for (int i = 0; i < 100; ++i) {
        sendOne();
        ReceivedFrame frame;
        ASSERT_EQ(slow_.receive(frame, kLimit), Status::Ok);
        ASSERT_TRUE(isWhole(frame) && slow_.confirm(frame));
    }
    ReceivedFrame last;
    ASSERT_EQ(source_.send(sender_), Status::Ok);
    ASSERT_EQ(slow_.receive(last, kLimit), Status::Ok);
    EXPECT_EQ(sender_.finish("done", 50ms, Event()), Status::TimedOut) << "the fast one has not read it";
    EXPECT_TRUE(isWhole(last) && slow_.confirm(last));
}

}  // namespace
}  // namespace verbcast::testing
