// The frames of whole sessions, sender and receiver in one process, over every transport.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

class Session : public TransportSuite {
  protected:
    VideoFormat format_ = tightFormat(320, 240, PixelFormat::rgba);
};

TEST_P(Session, LosslessDeliversEveryFrameWholeAndInOrder) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver receiver(receiverOptions(sender));
    TestSource source(format_, 8);
    constexpr std::uint64_t kFrames = 500;
    auto sending = std::async(std::launch::async, [&] {
        EXPECT_EQ(sender.waitForReceiver(10s, source.never), Status::Ok);
        while (source.next < kFrames) {
            ASSERT_EQ(source.send(sender), Status::Ok);
        }
        EXPECT_EQ(sender.finish("done", 10s, source.never), Status::Ok);
    });
    std::uint64_t expected = 0;
    ReceivedFrame frame;
    Status status = Status::Ok;
    while ((status = receiver.receive(frame, 10s)) == Status::Ok) {
        ASSERT_EQ(frame.info.sequence, expected);
        ASSERT_EQ(frame.info.pts, static_cast<std::int64_t>(expected));
        ASSERT_EQ(*frame.format, format_);
        ASSERT_TRUE(isWhole(frame));
        ASSERT_GE(frame.arrivedAt, frame.submittedAt);
        receiver.frameShown(frame);
        ++expected;
        receiver.setSkipped(expected / 10);  // as if its screen had passed over some
    }
    sending.get();
    EXPECT_EQ(status, Status::Closed);
    EXPECT_EQ(expected, kFrames);
    const StreamStats received = receiver.stats();
    EXPECT_EQ(received.framesSkipped, kFrames / 10);
    EXPECT_EQ(received.latencyToScreen.count, kFrames);
    EXPECT_GE(received.latencyToScreen.p50, received.latency.p50);
    EXPECT_EQ(received.framesTransferred, kFrames);
    EXPECT_EQ(received.framesDropped, 0U);
    EXPECT_EQ(received.bytes, kFrames * format_.payloadBytes);
    EXPECT_EQ(received.latency.count, kFrames);
    EXPECT_EQ(received.connectionsLost, 0U);
    EXPECT_EQ(receiver.status().state, StreamState::Ended);
    EXPECT_EQ(receiver.status().senderReason, "done");
    const StreamStats sent = sender.stats();
    EXPECT_EQ(sent.framesTransferred, kFrames);
    EXPECT_EQ(sent.framesShown, kFrames) << "the receiver's last report";
    EXPECT_EQ(sent.framesSkipped, kFrames / 10);
    EXPECT_EQ(sent.framesDropped, 0U);
}

TEST_P(Session, PolledFramesArriveAndEveryOneTakenIsInTheStatistics) {
    SenderOptions senderSide = senderOptions(GetParam(), Policy::Lossless);
    senderSide.poll = true;
    Broadcast sender(senderSide);
    ReceiverOptions receiverSide = receiverOptions(sender);
    receiverSide.poll = true;
    FrameReceiver receiver(receiverSide);
    TestSource source(format_, 8);
    constexpr std::uint64_t kFrames = 100;
    auto sending = std::async(std::launch::async, [&] {
        EXPECT_EQ(sender.waitForReceiver(10s, source.never), Status::Ok);
        while (source.next < kFrames) {
            EXPECT_TRUE(sender.waitUntilDue(nowNs() + 500'000, source.never));
            ASSERT_EQ(source.send(sender), Status::Ok);
        }
        EXPECT_EQ(sender.finish("done", 10s, source.never), Status::Ok);
    });
    ReceivedFrame frame;
    for (std::uint64_t expected = 0; expected < kFrames; ++expected) {
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
        ASSERT_EQ(frame.info.sequence, expected);
        ASSERT_TRUE(isWhole(frame));
        if (expected % 10 == 0) {
            EXPECT_EQ(receiver.stats().latency.count, expected + 1);
        }
    }
    EXPECT_EQ(receiver.stats().latency.count, kFrames);
    EXPECT_EQ(receiver.receive(frame, 10s), Status::Closed);
    sending.get();
    EXPECT_EQ(receiver.stats().stageWire.count, kFrames);
}

TEST_P(Session, FramesThatAnEndedReceiverHasNotTakenCountAsSkipped) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver receiver(receiverOptions(sender));
    TestSource source(format_, 8);
    ASSERT_EQ(sender.waitForReceiver(10s, source.never), Status::Ok);
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(source.send(sender), Status::Ok);
    }
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    ASSERT_TRUE(eventually([&] { return receiver.stats().framesTransferred == 4; }));
    EXPECT_EQ(receiver.stats().framesSkipped, 0U);
    receiver.cancel();
    EXPECT_EQ(receiver.stats().framesSkipped, 3U);
}

TEST_P(Session, TheWaitForAFramesTurnCanBeCancelled) {
    for (const bool poll : {false, true}) {
        SenderOptions options = senderOptions(GetParam(), Policy::Lossless);
        options.poll = poll;
        Broadcast sender(options);
        Event cancel;
        EXPECT_TRUE(sender.waitUntilDue(nowNs() - 1, cancel));
        cancel.notify();
        EXPECT_FALSE(sender.waitUntilDue(nowNs() + 3'600'000'000'000, cancel));
    }
}

TEST_P(Session, ASlowReceiverHoldsUpALosslessSourceAndLosesNothing) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    ReceiverOptions options = receiverOptions(sender);
    options.slots = 2;
    FrameReceiver receiver(options);
    TestSource source(format_, 8);
    auto sending = std::async(std::launch::async, [&] {
        EXPECT_EQ(sender.waitForReceiver(10s, source.never), Status::Ok);
        while (source.next < 40) {
            ASSERT_EQ(source.send(sender), Status::Ok);
        }
        EXPECT_EQ(sender.finish("done", 10s, source.never), Status::Ok);
    });
    std::vector<ReceivedFrame> held;
    std::uint64_t count = 0;
    ReceivedFrame frame;
    while (receiver.receive(frame, 10s) == Status::Ok) {
        ++count;
        held.push_back(std::move(frame));
        if (held.size() == 2) {
            // Both slots are ours: nothing can arrive until one is let go.
            ReceivedFrame none;
            if (count < 38) {
                EXPECT_EQ(receiver.receive(none, 5ms), Status::TimedOut);
            }
            ASSERT_TRUE(isWhole(held[0]));
            ASSERT_TRUE(isWhole(held[1]));
            held.clear();
        }
    }
    sending.get();
    EXPECT_EQ(count, 40U);
}

TEST_P(Session, LatestDropsWhatAStalledReceiverCannotTakeAndNeverStallsTheSource) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    ReceiverOptions options = receiverOptions(sender);
    options.slots = 2;
    FrameReceiver receiver(options);
    TestSource source(format_, 8);
    ASSERT_EQ(sender.waitForReceiver(10s, source.never), Status::Ok);
    for (int i = 0; i < 200; ++i) {
        ASSERT_EQ(source.send(sender), Status::Ok) << "nobody takes frames, yet the source goes on";
    }
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    ASSERT_TRUE(isWhole(frame));
    auto finishing = std::async(std::launch::async, [&] { return sender.finish("done", 10s, source.never); });
    std::uint64_t last = frame.info.sequence;
    frame = {};
    std::uint64_t received = 1;
    while (receiver.receive(frame, 10s) == Status::Ok) {
        EXPECT_GT(frame.info.sequence, last);
        last = frame.info.sequence;
        ASSERT_TRUE(isWhole(frame));
        ++received;
        frame = {};
    }
    EXPECT_EQ(finishing.get(), Status::Ok);
    EXPECT_EQ(last, 199U) << "the newest frame always arrives";
    const StreamStats stats = sender.stats();
    EXPECT_EQ(stats.framesTransferred, received);
    EXPECT_EQ(stats.framesTransferred + stats.framesDropped, 200U) << "every frame is accounted for";
}

TEST_P(Session, ASlowReceiverDoesNotSlowAnother) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    FrameReceiver fast(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
    FrameReceiver slow(receiverOptions(sender));
    while (sender.receiverCount() < 2) {
        std::this_thread::yield();
    }
    TestSource source(format_, 8);
    for (std::uint64_t i = 0; i < 100; ++i) {
        ASSERT_EQ(source.send(sender), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(fast.receive(frame, 10s), Status::Ok);  // each is taken at once, so none may be missing
        ASSERT_EQ(frame.info.sequence, i);
        ASSERT_TRUE(isWhole(frame));
    }
    EXPECT_EQ(fast.stats().framesDropped, 0U);
}

TEST_P(Session, SizeAndFormatMayChangeInMidStream) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver receiver(receiverOptions(sender));
    const std::vector<VideoFormat> formats{
        tightFormat(64, 48, PixelFormat::rgba), tightFormat(640, 480, PixelFormat::rgba),
        tightFormat(640, 480, PixelFormat::nv12), tightFormat(1280, 721, PixelFormat::v210),
        tightFormat(16, 16, PixelFormat::gray)};
    auto sending = std::async(std::launch::async, [&] {
        EXPECT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
        std::vector<std::unique_ptr<TestSource>> sources;
        std::uint64_t next = 0;
        for (int round = 0; round < 3; ++round) {
            for (const VideoFormat& format : formats) {
                sources.push_back(std::make_unique<TestSource>(format, 4));
                sources.back()->next = next;
                for (int i = 0; i < 5; ++i) {
                    ASSERT_EQ(sources.back()->send(sender), Status::Ok);
                }
                next = sources.back()->next;
            }
        }
        EXPECT_EQ(sender.finish("done", 10s, Event()), Status::Ok);
    });
    std::uint64_t count = 0;
    ReceivedFrame frame;
    while (receiver.receive(frame, 10s) == Status::Ok) {
        ASSERT_EQ(frame.info.sequence, count);
        ASSERT_EQ(*frame.format, formats[count / 5 % formats.size()]) << describe(*frame.format);
        ASSERT_TRUE(isWhole(frame));
        ++count;
    }
    sending.get();
    EXPECT_EQ(count, 75U);
    EXPECT_EQ(receiver.stats().framesDropped, 0U);
}

TEST_P(Session, FramesHeldAfterTheEndStayReadable) {
    std::vector<ReceivedFrame> kept;
    {
        Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
        FrameReceiver receiver(receiverOptions(sender));
        TestSource source(format_, 8);
        ASSERT_EQ(sender.waitForReceiver(10s, source.never), Status::Ok);
        for (int i = 0; i < 3; ++i) {
            ASSERT_EQ(source.send(sender), Status::Ok);
            kept.emplace_back();
            ASSERT_EQ(receiver.receive(kept.back(), 10s), Status::Ok);
        }
    }
    for (const ReceivedFrame& frame : kept) {
        EXPECT_TRUE(isWhole(frame));
    }
}

INSTANTIATE_TEST_SUITE_P(Over, Session, ::testing::ValuesIn(transportsUnderTest()), transportName);

}  // namespace
}  // namespace verbcast::testing
