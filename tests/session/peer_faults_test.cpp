// Peers that vanish, fall silent, or break the protocol: every one ends its own session with a reason, within
// bounds.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/handmade_peer.h"
#include "tests/support/transport_under_test.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// Runs `body` in a child process, made before this process has any thread.
class Child {
  public:
    explicit Child(const std::function<void()>& body) {
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            body();
            ::_exit(0);
        }
    }
    ~Child() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    void send(int signal) const { ::kill(pid_, signal); }

  private:
    pid_t pid_ = -1;
};

void sendForEver(const Url& url, bool listen) {
    SenderOptions options;
    options.url = url;
    options.listen = listen;
    Broadcast sender(options);
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 8});
    const Event never;
    for (;;) {
        static_cast<void>(sender.waitForReceiver(1h, never));
        auto lease = pool->acquire(1s, &never);
        if (lease) {
            FrameInfo info;
            static_cast<void>(sender.submit(std::move(*lease), format, info, never));
        }
        waitReadable({never.descriptor()}, 5ms);
    }
}

void receiveForEver(const Url& url) {
    ReceiverOptions options;
    options.url = url;
    options.listen = true;
    FrameReceiver receiver(options);
    ReceivedFrame frame;
    for (;;) {
        static_cast<void>(receiver.receive(frame, 1s));
    }
}

/// A free tcp port, or a name, that both processes know beforehand.
Url agreedAddress(const std::string& transport) {
    Url url = parseUrl(listenAddressFor(transport));
    if (transport != "shm") {
        url.port = static_cast<std::uint16_t>(20000 + ::getpid() % 20000);
    }
    return url;
}

template <typename Condition>
double secondsUntil(Condition&& condition, double limit) {
    const auto start = std::chrono::steady_clock::now();
    double passed = 0;
    while (!condition() && passed < limit) {
        std::this_thread::sleep_for(2ms);
        passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return passed;
}

class PeerFaults : public TransportSuite {};

TEST_P(PeerFaults, AKilledSenderIsNoticedWithinASecondAndTheLastPictureStays) {
    const Url url = agreedAddress(GetParam());
    auto child = std::make_unique<Child>([&] { sendForEver(url, true); });
    ReceiverOptions options;
    options.url = url;
    FrameReceiver receiver(options);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 20s), Status::Ok);
    child->send(SIGKILL);
    EXPECT_LT(secondsUntil([&] { return receiver.status().state == StreamState::Lost; }, 5), 1.0);
    EXPECT_GE(receiver.stats().connectionsLost,
              1U);  // a second one if the dying process's socket still answered
    child.reset();
    EXPECT_NE(frame.lease.data(), nullptr) << "the last picture stays";
    EXPECT_EQ(frame.lease.data()[0], std::byte{0});
    frame = {};
    while (receiver.receive(frame, 1ms) == Status::Ok) {
        frame = {};
    }
}

TEST_P(PeerFaults, AKilledReceiverIsNoticedWithinASecond) {
    const Url url = agreedAddress(GetParam());
    Child child([&] { receiveForEver(url); });
    SenderOptions options;
    options.url = url;
    options.listen = false;
    Broadcast sender(options);
    ASSERT_EQ(sender.waitForReceiver(20s, Event()), Status::Ok);
    child.send(SIGKILL);
    EXPECT_LT(secondsUntil([&] { return sender.receiverCount() == 0; }, 5), 1.0);
    EXPECT_TRUE(sender.lastEndWasLoss());
    EXPECT_FALSE(sender.lastEnd().empty());
}

TEST_P(PeerFaults, AFrozenPeerIsNoticedByItsSilence) {
    const Url url = agreedAddress(GetParam());
    Child child([&] { receiveForEver(url); });
    SenderOptions options;
    options.url = url;
    options.listen = false;
    Broadcast sender(options);
    ASSERT_EQ(sender.waitForReceiver(20s, Event()), Status::Ok);
    child.send(SIGSTOP);
    EXPECT_LT(secondsUntil([&] { return sender.receiverCount() == 0; }, 5), 1.2);
    EXPECT_NE(sender.lastEnd().find("no sign of life"), std::string::npos) << sender.lastEnd();
    child.send(SIGCONT);
}

INSTANTIATE_TEST_SUITE_P(Over, PeerFaults, ::testing::ValuesIn(transportsUnderTest()), transportName);

using testing::HandmadePeer;

class BrokenProtocol : public TransportSuite {
  protected:
    BrokenProtocol() {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        sender = std::make_unique<Broadcast>(options);
        url = parseUrl(sender->listenAddresses().front());
    }
    /// A frame goes in, so that the sender has a format to announce.
    void offerFrame() {
        pool = pool ? pool : FramePool::create({.slotBytes = 65536, .slotCount = 8});
        auto lease = pool->tryAcquire();
        ASSERT_TRUE(lease);
        ASSERT_EQ(sender->submit(std::move(*lease), tightFormat(64, 64, PixelFormat::rgba), {}, Event()),
                  Status::Ok);
    }
    std::unique_ptr<Broadcast> sender;
    std::shared_ptr<FramePool> pool;
    Url url;
};

TEST_P(BrokenProtocol, AnotherVersionIsRefusedByName) {
    HandmadePeer peer(url);
    Hello hello;
    hello.role = Role::Receiver;
    hello.version = 999;
    peer.say(hello);
    EXPECT_NE(peer.refusal().find("version 999"), std::string::npos);
}

TEST_P(BrokenProtocol, AnotherProtocolIsRefused) {
    HandmadePeer peer(url);
    Hello hello;
    hello.magic = 0x20544547;  // "GET "
    peer.say(hello);
    EXPECT_NE(peer.refusal().find("does not speak"), std::string::npos);
}

TEST_P(BrokenProtocol, WordsBeforeTheGreetingAreRefused) {
    HandmadePeer peer(url);
    peer.say(Ping{1});
    EXPECT_NE(peer.refusal().find("before its greeting"), std::string::npos);
}

TEST_P(BrokenProtocol, TwoGreetingsAreRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    peer.greet(Role::Receiver);
    EXPECT_NE(peer.refusal().find("twice"), std::string::npos);
}

Credit creditFor(std::uint16_t slot) {
    Credit credit;
    credit.slots.count = 0;
    credit.slots.push(slot);
    return credit;
}

TEST_P(BrokenProtocol, CreditsForSlotsNeverHeldAreRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    peer.say(creditFor(65535));
    EXPECT_NE(peer.refusal().find("slot 65535"), std::string::npos);
}

TEST_P(BrokenProtocol, AcceptingAnEpochThatWasNotAnnouncedIsRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    peer.say(Accept{0, 77, 1, true, 0});
    EXPECT_NE(peer.refusal().find("epoch 77"), std::string::npos);
}

TEST_P(BrokenProtocol, ACreditListThatEndsTooEarlyIsRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    const auto bytes = encodeMessage(creditFor(0));
    peer.say(std::span<const std::byte>(bytes).first(bytes.size() - 1));
    EXPECT_NE(peer.refusal().find("ends too early"), std::string::npos);
}

TEST_P(BrokenProtocol, ATrackThatDoesNotExistIsRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    peer.say(Accept{9, 1, 1, true, 0});
    EXPECT_NE(peer.refusal().find("track 9"), std::string::npos);
}

TEST_P(BrokenProtocol, ABrokenPeerDoesNotDisturbAGoodOne) {
    ReceiverOptions options;
    options.url = url;
    FrameReceiver good(options);
    ASSERT_EQ(sender->waitForReceiver(10s, Event()), Status::Ok);
    {
        HandmadePeer peer(url);
        peer.greet(Role::Receiver);
        peer.say(Accept{0, 77, 1, true, 0});
        EXPECT_FALSE(peer.refusal().empty());
    }
    offerFrame();
    ReceivedFrame frame;
    EXPECT_EQ(good.receive(frame, 10s), Status::Ok);
}

TEST_P(BrokenProtocol, APeerThatNeverTakesAFrameDoesNotStopTheSource) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    ASSERT_EQ(sender->waitForReceiver(10s, Event()), Status::Ok);
    for (int i = 0; i < 50; ++i) {
        offerFrame();
    }
    peer.serveUntil([&] { return peer.epoch != 0; });
    EXPECT_NE(peer.epoch, 0U);
    EXPECT_EQ(sender->stats().framesTransferred, 0U);
}

INSTANTIATE_TEST_SUITE_P(Over, BrokenProtocol, ::testing::ValuesIn(transportsUnderTest()), transportName);

/// The other way round: a handmade sender against our receiver.
class BrokenSender : public TransportSuite {
  protected:
    BrokenSender() {
        ReceiverOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.listen = true;
        receiver = std::make_unique<FrameReceiver>(options);
        peer = std::make_unique<HandmadePeer>(parseUrl(receiver->listenAddresses().front()));
        peer->greet(Role::Sender);
    }
    void announce(std::uint32_t epoch, const VideoFormat& format) {
        peer->say(FormatMessage{0, epoch, false, 0, TrackFormat::ofVideo(format)});
    }
    void givePool() {
        pool = FramePool::create({.slotBytes = 65536, .slotCount = 4});
        peer->setSource(pool);
    }
    std::unique_ptr<FrameReceiver> receiver;
    std::unique_ptr<HandmadePeer> peer;
    std::shared_ptr<FramePool> pool;
};

TEST_P(BrokenSender, AnImpossibleFormatIsRefused) {
    givePool();
    VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    format.planes[0].stride = 1;
    announce(1, format);
    EXPECT_NE(peer->refusal().find("impossible format"), std::string::npos);
}

TEST_P(BrokenSender, AStreamLargerThanTheMachineEndsWithTheReason) {
    VideoFormat format = tightFormat(16384, 16384, PixelFormat::rgba);
    layOutPlanes(format, 1 << 18, 4096);
    format.payloadBytes = tightBytes(format) * 4;
    announce(1, format);
    EXPECT_FALSE(peer->refusal().empty());
}

TEST_P(BrokenSender, TheSameEpochTwiceIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    EXPECT_NE(peer->refusal().find("twice"), std::string::npos);
}

/// Where the sender offers its own ring, and so needs none of the receiver's.
class BrokenOwner : public BrokenSender {};

TEST_P(BrokenOwner, AFrameBeforeItsFormatIsRefused) {
    givePool();
    FrameInfo info;
    info.payloadBytes = 16384;
    static_cast<void>(peer->sendFrame(0, 0, info));
    EXPECT_FALSE(peer->refusal().empty());
}

TEST_P(BrokenSender, AFrameInASlotThatWasNotGivenIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    FrameInfo info;
    info.epoch = 1;
    info.payloadBytes = 16384;
    if (peer->sharesMemory()) {
        // There the slot is the sender's own: naming one that is being read is the fault.
        ASSERT_EQ(peer->sendFrame(0, 0, info), Status::Ok);
        info.sequence = 1;
        ASSERT_EQ(peer->sendFrame(0, 0, info), Status::Ok);
        EXPECT_NE(peer->refusal().find("not given"), std::string::npos);
        return;
    }
    peer->serveUntil([&] { return peer->heard(static_cast<std::uint8_t>(MessageType::Credit)); });
    ASSERT_EQ(peer->sendFrame(0, 0, info), Status::Ok);
    peer->serveUntil([&] { return peer->framesSent == 1; });
    ReceivedFrame held;
    ASSERT_EQ(receiver->receive(held, 10s), Status::Ok);
    info.sequence = 1;
    static_cast<void>(peer->sendFrame(0, 0, info));
    EXPECT_NE(peer->refusal().find("not given"), std::string::npos) << "it is being read";
}

TEST_P(BrokenSender, AFrameOfAnotherTrackThanItsRingIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    peer->serveUntil([&] {
        return peer->heard(static_cast<std::uint8_t>(MessageType::Credit)) ||
               (peer->sharesMemory() && peer->heard(static_cast<std::uint8_t>(MessageType::Accept)));
    });
    FrameInfo info;
    info.epoch = 1;
    info.track = 3;
    info.payloadBytes = 16384;
    static_cast<void>(peer->sendFrame(0, 0, info));
    EXPECT_NE(peer->refusal().find("track 3"), std::string::npos);
}

TEST_P(BrokenSender, ReceiverTakesTheNextSenderAfterABrokenOne) {
    peer->say(Hello{});
    EXPECT_FALSE(peer->refusal().empty());
    HandmadePeer next(parseUrl(receiver->listenAddresses().front()));
    next.greet(Role::Sender);
    EXPECT_LT(secondsUntil([&] { return receiver->status().state == StreamState::Connected; }, 10), 10);
}

INSTANTIATE_TEST_SUITE_P(Over, BrokenSender, ::testing::ValuesIn(transportsUnderTest()), transportName);
INSTANTIATE_TEST_SUITE_P(Over, BrokenOwner, ::testing::ValuesIn(transportsThatShareMemory()), transportName);

}  // namespace
}  // namespace verbcast
