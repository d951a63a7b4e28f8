// Whole sessions, sender and receiver in one process, over every transport.
#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <memory>
#include <random>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/transport_under_test.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// Makes frames whose every 8-byte word tells the sequence, so that a torn frame cannot hide.
struct Source {
    Source(VideoFormat f, std::uint32_t slots)
        : format(std::move(f)),
          pool(FramePool::create({.slotBytes = format.payloadBytes, .slotCount = slots})) {}

    Status send(Broadcast& sender) {
        auto lease = pool->acquire(10s, &never);
        if (!lease) {
            return Status::TimedOut;
        }
        for (std::uint64_t i = 0; i + 8 <= format.payloadBytes; i += 8) {
            std::memcpy(lease->data() + i, &next, 8);
        }
        FrameInfo info;
        info.pts = static_cast<std::int64_t>(next++);
        info.capturedAt = nowNs();
        return sender.submit(std::move(*lease), format, info, never);
    }

    VideoFormat format;
    std::shared_ptr<FramePool> pool;
    std::uint64_t next = 0;
    Event never;
};

::testing::AssertionResult isWhole(const ReceivedFrame& frame) {
    for (std::uint64_t i = 0; i + 8 <= frame.format->payloadBytes; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, frame.lease.data() + i, 8);
        if (word != static_cast<std::uint64_t>(frame.info.pts)) {
            return ::testing::AssertionFailure()
                   << "frame " << frame.info.pts << " holds " << word << " at byte " << i;
        }
    }
    return ::testing::AssertionSuccess();
}

class Session : public TransportSuite {
  protected:
    SenderOptions senderOptions(Policy policy) const {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.policy = policy;
        options.peerTimeout = 5s;  // a loaded machine is not a dead peer
        return options;
    }
    static ReceiverOptions receiverOptions(const Broadcast& sender) {
        ReceiverOptions options;
        options.url = parseUrl(sender.listenAddresses().front());
        options.endWithStream = true;
        options.peerTimeout = 5s;
        return options;
    }
    VideoFormat format_ = tightFormat(320, 240, PixelFormat::rgba);
};

TEST_P(Session, LosslessDeliversEveryFrameWholeAndInOrder) {
    Broadcast sender(senderOptions(Policy::Lossless));
    FrameReceiver receiver(receiverOptions(sender));
    Source source(format_, 8);
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
    }
    sending.get();
    EXPECT_EQ(status, Status::Closed);
    EXPECT_EQ(expected, kFrames);
    const StreamStats received = receiver.stats();
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
    EXPECT_EQ(sent.framesDropped, 0U);
}

TEST_P(Session, PolledFramesArriveAndEveryOneTakenIsInTheStatistics) {
    SenderOptions senderSide = senderOptions(Policy::Lossless);
    senderSide.poll = true;
    Broadcast sender(senderSide);
    ReceiverOptions receiverSide = receiverOptions(sender);
    receiverSide.poll = true;
    FrameReceiver receiver(receiverSide);
    Source source(format_, 8);
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

TEST_P(Session, TheWaitForAFramesTurnCanBeCancelled) {
    for (const bool poll : {false, true}) {
        SenderOptions options = senderOptions(Policy::Lossless);
        options.poll = poll;
        Broadcast sender(options);
        Event cancel;
        EXPECT_TRUE(sender.waitUntilDue(nowNs() - 1, cancel));
        cancel.notify();
        EXPECT_FALSE(sender.waitUntilDue(nowNs() + 3'600'000'000'000, cancel));
    }
}

TEST_P(Session, ASlowReceiverHoldsUpALosslessSourceAndLosesNothing) {
    Broadcast sender(senderOptions(Policy::Lossless));
    ReceiverOptions options = receiverOptions(sender);
    options.slots = 2;
    FrameReceiver receiver(options);
    Source source(format_, 8);
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
    Broadcast sender(senderOptions(Policy::Latest));
    ReceiverOptions options = receiverOptions(sender);
    options.slots = 2;
    FrameReceiver receiver(options);
    Source source(format_, 8);
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
    Broadcast sender(senderOptions(Policy::Latest));
    FrameReceiver fast(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
    FrameReceiver slow(receiverOptions(sender));
    while (sender.receiverCount() < 2) {
        std::this_thread::yield();
    }
    Source source(format_, 8);
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
    Broadcast sender(senderOptions(Policy::Lossless));
    FrameReceiver receiver(receiverOptions(sender));
    const std::vector<VideoFormat> formats{
        tightFormat(64, 48, PixelFormat::rgba), tightFormat(640, 480, PixelFormat::rgba),
        tightFormat(640, 480, PixelFormat::nv12), tightFormat(1280, 721, PixelFormat::v210),
        tightFormat(16, 16, PixelFormat::gray)};
    auto sending = std::async(std::launch::async, [&] {
        EXPECT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
        std::vector<std::unique_ptr<Source>> sources;
        std::uint64_t next = 0;
        for (int round = 0; round < 3; ++round) {
            for (const VideoFormat& format : formats) {
                sources.push_back(std::make_unique<Source>(format, 4));
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

TEST_P(Session, EitherSideMayListenAndEitherMayComeFirst) {
    // The receiver listens; the sender has been trying since before.
    ReceiverOptions receiving;
    receiving.url = parseUrl(listenAddressFor(GetParam()));
    receiving.listen = true;
    receiving.endWithStream = true;
    auto receiver = std::make_unique<FrameReceiver>(receiving);
    SenderOptions sending;
    sending.url = parseUrl(receiver->listenAddresses().front());
    receiving.url = sending.url;  // the port that was free a moment ago
    sending.listen = false;
    sending.policy = Policy::Lossless;
    receiver.reset();
    Broadcast sender(sending);
    EXPECT_EQ(sender.waitForReceiver(50ms, Event()), Status::TimedOut);
    receiver = std::make_unique<FrameReceiver>(receiving);
    ASSERT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
    Source source(format_, 4);
    ASSERT_EQ(source.send(sender), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(receiver->receive(frame, 10s), Status::Ok);
    EXPECT_TRUE(isWhole(frame));
}

TEST_P(Session, AReceiverThatLeavesAndComesBackGoesOn) {
    Broadcast sender(senderOptions(Policy::Latest));
    Source source(format_, 8);
    for (int round = 0; round < 3; ++round) {
        FrameReceiver receiver(receiverOptions(sender));
        ASSERT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
        ReceivedFrame frame;
        Status status = Status::TimedOut;
        for (int i = 0; i < 200 && status != Status::Ok; ++i) {
            ASSERT_EQ(source.send(sender), Status::Ok);
            status = receiver.receive(frame, 50ms);
        }
        ASSERT_EQ(status, Status::Ok);
        EXPECT_TRUE(isWhole(frame));
        EXPECT_EQ(receiver.stats().framesDropped, 0U) << "joining late is not a loss";
    }
    while (sender.receiverCount() > 0) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(sender.lastEndWasLoss()) << sender.lastEnd();
    EXPECT_EQ(sender.stats().connections, 3U);
}

TEST_P(Session, AReceiverReconnectsByItselfToASenderThatCameBack) {
    auto options = senderOptions(Policy::Latest);
    auto sender = std::make_unique<Broadcast>(options);
    options.url = parseUrl(sender->listenAddresses().front());
    ReceiverOptions receiving = receiverOptions(*sender);
    receiving.endWithStream = false;
    FrameReceiver receiver(receiving);
    for (int round = 0; round < 3; ++round) {
        Source source(format_, 8);
        ASSERT_EQ(sender->waitForReceiver(10s, Event()), Status::Ok);
        ASSERT_EQ(source.send(*sender), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
        EXPECT_TRUE(isWhole(frame));
        sender.reset();
        sender = std::make_unique<Broadcast>(options);
    }
    EXPECT_GE(receiver.stats().connections, 3U);
}

TEST_P(Session, FramesHeldAfterTheEndStayReadable) {
    std::vector<ReceivedFrame> kept;
    {
        Broadcast sender(senderOptions(Policy::Lossless));
        FrameReceiver receiver(receiverOptions(sender));
        Source source(format_, 8);
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

TEST_P(Session, OnlyOneSenderIsTakenAndTheOtherIsToldSo) {
    ReceiverOptions receiving;
    receiving.url = parseUrl(listenAddressFor(GetParam()));
    receiving.listen = true;
    FrameReceiver receiver(receiving);
    SenderOptions sending;
    sending.url = parseUrl(receiver.listenAddresses().front());
    sending.listen = false;
    Broadcast first(sending);
    ASSERT_EQ(first.waitForReceiver(10s, Event()), Status::Ok);
    sending.reconnect = false;
    Broadcast second(sending);
    EXPECT_EQ(second.waitForReceiver(10s, Event()), Status::Closed);
    EXPECT_NE(second.lastEnd().find("already has a sender"), std::string::npos) << second.lastEnd();
    EXPECT_EQ(first.receiverCount(), 1U);
}

TEST_P(Session, TwoSendersThatMeetSaySo) {
    Broadcast listening(senderOptions(Policy::Latest));
    SenderOptions sending;
    sending.url = parseUrl(listening.listenAddresses().front());
    sending.listen = false;
    Broadcast connecting(sending);
    try {
        static_cast<void>(connecting.waitForReceiver(10s, Event()));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Peer);
        EXPECT_NE(std::string(error.what()).find("both sides are a sender"), std::string::npos)
            << error.what();
    }
}

TEST_P(Session, CancellingEndsEveryWait) {
    Broadcast sender(senderOptions(Policy::Lossless));
    Event cancel;
    cancel.notify();
    EXPECT_EQ(sender.waitForReceiver(1h, cancel), Status::Cancelled);
    Source source(format_, 4);
    auto lease = source.pool->tryAcquire();
    EXPECT_EQ(sender.submit(std::move(*lease), format_, {}, Event()), Status::Busy)
        << "nobody is there to take it";
    EXPECT_TRUE(*lease) << "a frame that was not taken stays with its owner";
    FrameReceiver receiver(receiverOptions(sender));
    receiver.cancel();
    ReceivedFrame frame;
    EXPECT_EQ(receiver.receive(frame, 1h), Status::Cancelled);
}

// At every moment of being met: libfabric's shm once looked into an endpoint of this process that was
// closing.
TEST_P(Session, ACallerMayLeaveWhileItIsMet) {
    Broadcast sender(senderOptions(Policy::Latest));
    for (int microseconds = 0; microseconds < 20'000; microseconds += 1000) {
        FrameReceiver receiver(receiverOptions(sender));
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
        receiver.cancel();
    }
    FrameReceiver receiver(receiverOptions(sender));
    EXPECT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok) << "the sender is still there";
}

INSTANTIATE_TEST_SUITE_P(Over, Session, ::testing::ValuesIn(transportsUnderTest()), transportName);

/// The side that listens knows first: its answer is what tells the other.
bool isConnected(const FrameReceiver& receiver) {
    const Deadline deadline = Deadline::in(10s);
    while (receiver.status().state != StreamState::Connected && !deadline.passed()) {
        std::this_thread::sleep_for(1ms);
    }
    return receiver.status().state == StreamState::Connected;
}

TEST(SessionChoice, APlainAddressOfThisHostTakesSharedMemoryAndSaysWhy) {
    SenderOptions options;
    options.url = parseUrl("127.0.0.1:0");
    Broadcast sender(options);
    ASSERT_GE(sender.listenAddresses().size(), 2U);
    ReceiverOptions receiving;
    receiving.url = parseUrl("localhost");
    receiving.url.port = parseUrl(sender.listenAddresses().front()).port;
    FrameReceiver receiver(receiving);
    ASSERT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
    ASSERT_TRUE(isConnected(receiver));
    EXPECT_EQ(receiver.status().channel.transport, "shm");
    EXPECT_EQ(receiver.status().transportReason, "both are on this host");
}

TEST(SessionChoice, WithoutSharedMemoryItFallsBackToTcpAndSaysWhy) {
    SenderOptions options;
    options.url = parseUrl("tcp://127.0.0.1:0");
    Broadcast sender(options);
    ReceiverOptions receiving;
    receiving.url = parseUrl(sender.listenAddresses().front());
    receiving.url.scheme.clear();
    FrameReceiver receiver(receiving);
    ASSERT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
    ASSERT_TRUE(isConnected(receiver));
    EXPECT_EQ(receiver.status().channel.transport, "tcp");
    EXPECT_NE(receiver.status().transportReason.find("no shared memory"), std::string::npos);
    EXPECT_NE(receiver.status().transportReason.find("no RDMA"), std::string::npos);
}

}  // namespace
}  // namespace verbcast
