// Lossless streams over connections that break.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/core/session/connection_cutter.h"
#include "tests/core/session/core_support.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

class Reconnect : public TransportSuite {
  protected:
    SenderOptions lossless() const { return senderOptions(GetParam(), Policy::Lossless); }
    /// A few frames of this format fill a socket's buffers.
    const VideoFormat format_ = tightFormat(320, 240, PixelFormat::rgba);
};

TEST_P(Reconnect, EveryFrameArrivesOnceAndInOrderHoweverOftenTheConnectionBreaks) {
    for (const bool senderListens : {true, false}) {
        for (const Cut how : {Cut::Orderly, Cut::Abrupt}) {
            SCOPED_TRACE(::testing::Message()
                         << "sender listens: " << senderListens << ", abrupt: " << (how == Cut::Abrupt));
            SenderOptions sending = lossless();
            sending.stallTimeout = kLimit;
            ReceiverOptions receiving = receiverOptions(listenAddressFor(GetParam()));
            std::unique_ptr<Broadcast> sender;
            std::unique_ptr<FrameReceiver> viewer;
            if (senderListens) {
                sender = std::make_unique<Broadcast>(sending);
                receiving.url = parseUrl(sender->listenAddresses().front());
                viewer = std::make_unique<FrameReceiver>(receiving);
            } else {
                receiving.listen = true;
                viewer = std::make_unique<FrameReceiver>(receiving);
                sending.listen = false;
                sending.url = parseUrl(viewer->listenAddresses().front());
                sender = std::make_unique<Broadcast>(sending);
            }
            constexpr std::uint64_t kFrames = 300;
            TestSource source(format_, 8);
            auto sendingAll = std::async(std::launch::async, [&] {
                while (source.next < kFrames) {
                    ASSERT_EQ(source.sendToWhoComes(*sender), Status::Ok) << source.next;
                }
            });
            ReceivedFrame frame;
            for (std::uint64_t expected = 0; expected < kFrames; ++expected) {
                ASSERT_EQ(viewer->receive(frame, kLimit), Status::Ok) << expected;
                ASSERT_EQ(frame.info.sequence, expected);
                ASSERT_TRUE(isWhole(frame));
                if (expected % 50 == 25) {
                    cut(connectedSockets(GetParam().name), how);
                }
            }
            sendingAll.get();
            EXPECT_EQ(sender->finish("done", kLimit, Event()), Status::Ok);
            EXPECT_EQ(viewer->stats().framesTransferred, kFrames);
            EXPECT_EQ(viewer->stats().framesLost, 0U);
            EXPECT_EQ(viewer->stats().framesDropped, 0U);
            EXPECT_EQ(sender->stats().framesLost, 0U);
            ASSERT_EQ(sender->stats().viewers.size(), 1U) << "one viewer, however often it came back";
            EXPECT_EQ(sender->stats().viewers.front().framesSent, kFrames) << "sent again is not sent twice";
            EXPECT_EQ(sender->stats().viewers.front().connections, sender->stats().connections);
            EXPECT_GE(viewer->stats().connections, 3U) << "else nothing was cut";
            EXPECT_GE(viewer->stats().connectionsLost, 2U);
        }
    }
}

// Regression: frames were held for ten seconds, or until a third viewer came, so the source had no free slot.
TEST_P(Reconnect, FramesHeldForOneWhoIsAwayDoNotKeepAnotherWaiting) {
    Broadcast sender(lossless());
    constexpr std::uint64_t kFrames = 20;
    TestSource source(format_, 2);
    auto sending = std::async(std::launch::async, [&] {
        while (source.next < kFrames) {
            ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok) << source.next;
        }
    });
    {
        RawPeer mute(sender);
        mute.accepts = false;
        mute.greet(Role::Receiver);
        ASSERT_TRUE(mute.greeted());
        ASSERT_TRUE(eventually([&] { return source.pool->slots().freeCount() == 0; }));
    }
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 0; }));
    FrameReceiver viewer(receiverOptions(sender));
    ReceivedFrame frame;
    for (std::uint64_t expected = 0; expected < kFrames; ++expected) {
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        ASSERT_EQ(frame.info.sequence, expected) << "what the other one never took is for the next";
    }
    sending.get();
    EXPECT_EQ(sender.stats().framesLost, 0U);
}

// Regression: frames that were on their way when a connection broke were neither shown nor dropped.
TEST_P(Reconnect, WhatALostConnectionTookWithItWasDropped) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    TestSource source(format_, 8);
    constexpr std::uint64_t kFrames = 6;
    const auto viewer = [&] { return sender.stats().viewers.at(0); };
    {
        RawPeer silent(sender);  // takes what comes and never says so
        silent.greet(Role::Receiver);
        ASSERT_TRUE(silent.greeted());
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        while (source.next < kFrames) {
            ASSERT_EQ(source.send(sender), Status::Ok);
        }
        ASSERT_TRUE(silent.serveUntil([&] {
            return viewer().framesSent > 0 && viewer().framesSent + viewer().framesDropped == kFrames;
        }));
    }
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 0; }));
    EXPECT_EQ(viewer().framesDropped, kFrames);
    EXPECT_EQ(sender.stats().framesLost, 0U);
}

/// Transports over which the viewer reads the sender's own slots.
class LostReader : public TransportSuite {
  protected:
    void begin(SenderOptions sending) {
        ReceiverOptions once = receiverOptions(listenAddressFor(GetParam()));
        once.reconnect = false;
        once.listen = !sending.listen;
        if (sending.listen) {
            sender = std::make_unique<Broadcast>(sending);
            once.url = parseUrl(sender->listenAddresses().front());
        }
        viewer = std::make_unique<FrameReceiver>(once);
        if (!sending.listen) {
            sending.url = parseUrl(viewer->listenAddresses().front());
            sender = std::make_unique<Broadcast>(sending);
        }
        ASSERT_EQ(sender->waitForReceiver(kLimit, Event()), Status::Ok);
        ASSERT_EQ(source.send(*sender), Status::Ok);
        ASSERT_EQ(viewer->receive(held, kLimit), Status::Ok);
        ASSERT_EQ(source.send(*sender), Status::Ok);
        ASSERT_EQ(source.send(*sender), Status::Ok);
        ASSERT_TRUE(eventually([&] { return viewer->stats().framesTransferred == 3; }));
        cut(connectedSockets("shm"), Cut::Abrupt);
        ASSERT_TRUE(
            eventually([&] { return sender->receiverCount() == 0 && !viewer->status().text.empty(); }));
    }
    std::uint32_t freeSlots() const { return source.pool->slots().freeCount(); }

    TestSource source{tightFormat(320, 240, PixelFormat::rgba), 8};
    std::unique_ptr<Broadcast> sender;
    std::unique_ptr<FrameReceiver> viewer;
    ReceivedFrame held;
};

TEST_P(LostReader, KeepsItsPicturesForAsLongAsItLooksAtThem) {
    begin(senderOptions(GetParam(), Policy::Latest));
    for (int i = 0; i < 40; ++i) {
        ASSERT_EQ(source.send(*sender), Status::Ok);  // no viewer is connected
    }
    EXPECT_TRUE(isWhole(held));
    for (int i = 0; i < 2; ++i) {  // already queued for the viewer
        ASSERT_EQ(viewer->receive(held, kLimit), Status::Ok);
        EXPECT_TRUE(isWhole(held));
    }
    EXPECT_LT(freeSlots(), 8U);
    held = {};
    EXPECT_TRUE(eventually([&] { return freeSlots() == 8; }));
}

TEST_P(LostReader, IsNotWaitedForWithoutEnd) {
    for (const bool senderListens : {true, false}) {
        SenderOptions impatient = senderOptions(GetParam(), Policy::Lossless);
        impatient.stallTimeout = 300ms;
        impatient.listen = senderListens;
        begin(impatient);
        EXPECT_LT(freeSlots(), 8U);
        EXPECT_EQ(sender->finish("done", kLimit, Event()), Status::Ok);  // no viewer returns for the frames
        EXPECT_TRUE(eventually([&] { return freeSlots() == 8; })) << senderListens;
        held = {};
        viewer.reset();
        sender.reset();
    }
}

INSTANTIATE_TEST_SUITE_P(Over, LostReader, ::testing::ValuesIn(transportsThatShareMemory()), transportName);

TEST_P(Reconnect, WhatWasMissedWhileOthersWentOnIsCounted) {
    Broadcast sender(lossless());
    TestSource source(format_, 8);
    FrameReceiver steady(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    const std::set<int> others = connectedSockets(GetParam().name);
    FrameReceiver cutOff(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 2; }));
    std::atomic<std::uint64_t> seen{0};
    const auto watch = [&](FrameReceiver& viewer, bool mayMiss, bool counts) {
        ReceivedFrame frame;
        std::uint64_t expected = 0;
        std::uint64_t missing = 0;
        while (viewer.receive(frame, kLimit) == Status::Ok) {
            EXPECT_GE(frame.info.sequence, expected);
            EXPECT_TRUE(mayMiss || frame.info.sequence == expected);
            missing += frame.info.sequence - expected;
            expected = frame.info.sequence + 1;
            seen = counts ? expected : seen.load();
        }
        return missing;
    };
    auto steadyOne = std::async(std::launch::async, [&] { return watch(steady, false, false); });
    auto cutOne = std::async(std::launch::async, [&] { return watch(cutOff, true, true); });
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(source.send(sender), Status::Ok);
    }
    ASSERT_TRUE(eventually([&] { return seen == source.next; }));
    // Until the viewer has missed frames and reconnected.
    for (int attempt = 0; attempt < 20 && cutOff.stats().framesLost == 0; ++attempt) {
        const std::uint64_t connections = sender.stats().connections;
        cut(newOnes(connectedSockets(GetParam().name), others), Cut::Abrupt);
        const Deadline deadline = Deadline::in(kLimit);
        while (sender.stats().connections == connections && !deadline.passed()) {
            ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
        }
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
        }
        ASSERT_TRUE(eventually([&] { return seen == source.next; }));
    }
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(steadyOne.get(), 0U);
    const std::uint64_t missing = cutOne.get();
    EXPECT_GT(missing, 0U);
    EXPECT_EQ(cutOff.stats().framesLost, missing);
    EXPECT_EQ(cutOff.stats().framesDropped, missing);
    EXPECT_EQ(cutOff.stats().framesTransferred + missing, source.next);
    EXPECT_EQ(steady.stats().framesLost, 0U);
}

TEST_P(Reconnect, WhatNobodyCameBackForIsCountedWhenTheStreamIsOver) {
    Broadcast sender(lossless());
    TestSource source(format_, 8);
    RawPeer viewer(sender);
    viewer.greet(Role::Receiver, 42);
    ASSERT_TRUE(viewer.greeted());
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
    }
    // The viewer never acknowledges a frame.
    ASSERT_TRUE(viewer.serveUntil([&] { return viewer.frames.size() == 2; }));
    viewer.hangUp();
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 0; }));
    EXPECT_TRUE(sender.lastEnd().isLoss()) << sender.lastEnd().reason;
    EXPECT_EQ(sender.stats().framesLost, 0U) << "it may come back for them";
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(sender.stats().framesLost, 2U);
}

TEST_P(Reconnect, OneThatIsBackBeforeItsLastConnectionHasEndedWaitsAndGetsAll) {
    SenderOptions patient = lossless();
    Broadcast sender(patient);
    TestSource source(format_, 8);
    auto before = std::make_unique<RawPeer>(sender);
    before->greet(Role::Receiver, 42);
    ASSERT_TRUE(before->greeted());
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
    }
    ASSERT_TRUE(before->serveUntil([&] { return before->frames.size() == 2; }));
    {
        RawPeer early(sender);
        early.greet(Role::Receiver, 42);
        EXPECT_TRUE(contains(early.awaitRefusal(), "has not ended yet")) << early.refusal;
        EXPECT_EQ(early.refuseCode, RefuseCode::Busy);
    }
    before->hangUp();
    RawPeer again(sender);
    again.greet(Role::Receiver, 42);
    ASSERT_TRUE(again.serveUntil([&] { return again.frames.size() == 2; }));
    EXPECT_EQ(again.frames[0].sequence, 0U);
    EXPECT_EQ(again.frames[1].sequence, 1U);
    EXPECT_EQ(sender.stats().framesLost, 0U);
}

TEST_P(Reconnect, ALiveStreamThatBreaksLosesNothingOfLosslessness) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    FrameReceiver viewer(receiverOptions(sender));
    TestSource source(format_, 8);
    ReceivedFrame frame;
    std::uint64_t last = 0;
    for (int round = 0; round < 3; ++round) {
        Status status = Status::TimedOut;
        for (int i = 0; i < 2000 && status != Status::Ok; ++i) {
            ASSERT_EQ(source.send(sender), Status::Ok);
            status = viewer.receive(frame, 10ms);
        }
        ASSERT_EQ(status, Status::Ok);
        EXPECT_TRUE(round == 0 || frame.info.sequence > last);
        last = frame.info.sequence;
        const std::uint64_t connections = viewer.stats().connections;
        cut(connectedSockets(GetParam().name), Cut::Abrupt);
        ASSERT_TRUE(eventually([&] { return viewer.stats().connections > connections; }));
    }
    EXPECT_EQ(viewer.stats().framesLost, 0U) << "only a lossless stream loses";
    EXPECT_EQ(sender.stats().framesLost, 0U);
}

bool says(const FrameReceiver& viewer, const std::string& text) {
    return eventually([&] { return viewer.status().text.find(text) != std::string::npos; });
}

TEST_P(Reconnect, ARefusalAfterTheEndOfAStreamIsNoLoss) {
    Broadcast sender(lossless());
    ReceiverOptions receiving = receiverOptions(sender);
    receiving.endWithStream = false;
    FrameReceiver viewer(receiving);
    TestSource source(format_, 8);
    ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    frame = {};
    ASSERT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_TRUE(says(viewer, "the stream is over")) << "it does not call again";
    EXPECT_EQ(viewer.status().state, StreamState::Ended);
    EXPECT_EQ(viewer.status().senderReason, "done");
}

TEST_P(Reconnect, AViewerTellsEachSenderOfItsOwnFramesAlone) {
    ReceiverOptions receiving = receiverOptions(listenAddressFor(GetParam()));
    receiving.listen = true;
    receiving.endWithStream = false;
    FrameReceiver viewer(receiving);
    SenderOptions sending = lossless();
    sending.listen = false;
    sending.url = parseUrl(viewer.listenAddresses().front());
    for (const std::uint64_t frames : {5U, 3U}) {
        Broadcast sender(sending);
        TestSource source(format_, 8);
        while (source.next < frames) {
            ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
            ReceivedFrame frame;
            ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
            viewer.frameShown(frame);
        }
        ASSERT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
        ASSERT_EQ(sender.stats().viewers.size(), 1U);
        EXPECT_EQ(sender.stats().viewers.front().framesShown, frames);
        EXPECT_LE(sender.stats().viewers.front().latency.count, frames);
    }
    EXPECT_EQ(viewer.stats().framesShown, 8U);
}

TEST_P(Reconnect, AViewerThatNeverHadAStreamLosesNone) {
    SenderOptions sending = lossless();
    sending.maxReceivers = 1;
    Broadcast sender(sending);
    const FrameReceiver first(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    const FrameReceiver second(receiverOptions(sender));
    EXPECT_TRUE(says(second, "maximum number of viewers"));
    EXPECT_EQ(second.status().state, StreamState::Connecting);
}

INSTANTIATE_TEST_SUITE_P(Over, Reconnect, ::testing::ValuesIn(transportsOfSockets()), transportName);

}  // namespace
}  // namespace verbcast::testing
