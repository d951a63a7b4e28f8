// How the sender and the receiver of a session connect, leave and refuse each other, over every transport.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/core/session/core_support.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

class SessionMeeting : public TransportSuite {
  protected:
    VideoFormat format_ = tightFormat(320, 240, PixelFormat::rgba);
};

TEST_P(SessionMeeting, EitherSideMayListenAndEitherMayComeFirst) {
    // The receiver listens; the sender starts first and keeps trying.
    const ReservedAddress address(GetParam().name);
    ReceiverOptions receiving = receiverOptions(address.url());
    receiving.listen = true;
    auto receiver = std::make_unique<FrameReceiver>(receiving);
    SenderOptions sending;
    sending.url = parseUrl(receiver->listenAddresses().front());
    receiving.url = sending.url;
    sending.peerTimeout = kLimit;
    sending.listen = false;
    sending.policy = Policy::Lossless;
    receiver.reset();
    Broadcast sender(sending);
    EXPECT_EQ(sender.waitForReceiver(50ms, Event()), Status::TimedOut);
    receiver = std::make_unique<FrameReceiver>(receiving);
    ASSERT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok);
    TestSource source(format_, 4);
    ASSERT_EQ(source.send(sender), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(receiver->receive(frame, 10s), Status::Ok);
    EXPECT_TRUE(isWhole(frame));
}

TEST_P(SessionMeeting, AReceiverThatLeavesAndComesBackGoesOn) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    TestSource source(format_, 8);
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
    EXPECT_FALSE(sender.lastEnd().isLoss()) << sender.lastEnd().reason;
    EXPECT_EQ(sender.stats().connections, 3U);
}

TEST_P(SessionMeeting, AReceiverReconnectsByItselfToASenderThatCameBack) {
    auto options = senderOptions(GetParam(), Policy::Latest);
    auto sender = std::make_unique<Broadcast>(options);
    options.url = parseUrl(sender->listenAddresses().front());
    ReceiverOptions receiving = receiverOptions(*sender);
    receiving.endWithStream = false;
    FrameReceiver receiver(receiving);
    for (int round = 0; round < 3; ++round) {
        TestSource source(format_, 8);
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

TEST_P(SessionMeeting, OnlyOneSenderIsTakenAndTheOtherIsToldSo) {
    ReceiverOptions receiving = receiverOptions(listenAddressFor(GetParam()));
    receiving.listen = true;
    FrameReceiver receiver(receiving);
    SenderOptions sending;
    sending.peerTimeout = kLimit;
    sending.url = parseUrl(receiver.listenAddresses().front());
    sending.listen = false;
    Broadcast first(sending);
    ASSERT_EQ(first.waitForReceiver(10s, Event()), Status::Ok);
    sending.reconnect = false;
    Broadcast second(sending);
    EXPECT_EQ(second.waitForReceiver(10s, Event()), Status::Closed);
    EXPECT_TRUE(contains(second.lastEnd().reason, "already has a sender"));
    EXPECT_EQ(first.receiverCount(), 1U);
}

TEST_P(SessionMeeting, TwoSendersThatMeetSaySo) {
    Broadcast listening(senderOptions(GetParam(), Policy::Latest));
    SenderOptions sending;
    sending.url = parseUrl(listening.listenAddresses().front());
    sending.listen = false;
    Broadcast connecting(sending);
    const Error error = thrownBy([&] { static_cast<void>(connecting.waitForReceiver(10s, Event())); });
    EXPECT_EQ(error.kind(), ErrorKind::Peer);
    EXPECT_TRUE(contains(error.what(), "both sides are a sender"));
}

TEST_P(SessionMeeting, CancellingEndsEveryWait) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    Event cancel;
    cancel.notify();
    EXPECT_EQ(sender.waitForReceiver(1h, cancel), Status::Cancelled);
    TestSource source(format_, 4);
    auto lease = source.pool->tryAcquire();
    EXPECT_EQ(sender.submit(std::move(*lease), format_, {}, Event()), Status::Busy)
        << "nobody is there to take it";
    EXPECT_TRUE(*lease) << "a frame that was not taken stays with its owner";
    FrameReceiver receiver(receiverOptions(sender));
    receiver.cancel();
    ReceivedFrame frame;
    EXPECT_EQ(receiver.receive(frame, 1h), Status::Cancelled);
}

// Leaves at every stage of the handshake. Regression: libfabric's shm accessed an endpoint of this process
// that was closing.
TEST_P(SessionMeeting, ACallerMayLeaveWhileItIsMet) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    for (int microseconds = 0; microseconds < 20'000; microseconds += 1000) {
        FrameReceiver receiver(receiverOptions(sender));
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
        receiver.cancel();
    }
    FrameReceiver receiver(receiverOptions(sender));
    EXPECT_EQ(sender.waitForReceiver(10s, Event()), Status::Ok) << "the sender is still there";
}

VERBCAST_OVER_TRANSPORTS(SessionMeeting, transportsUnderTest());

/// The listener is connected first; its answer tells the other side.
bool isConnected(const FrameReceiver& receiver) {
    return eventually([&] { return receiver.status().state == StreamState::Connected; });
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
    EXPECT_TRUE(contains(receiver.status().transportReason, "no shared memory"));
    EXPECT_TRUE(contains(receiver.status().transportReason, "no RDMA"));
}

}  // namespace
}  // namespace verbcast::testing
