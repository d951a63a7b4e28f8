// Peers that vanish, fall silent, or break the protocol: every one ends its own session with a reason, within
// bounds.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "core/session/frame_receiver.h"
#include "core/session/frame_sender.h"
#include "core/session/messages.h"
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
    FrameSender sender(options);
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
    FrameSender sender(options);
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
    FrameSender sender(options);
    ASSERT_EQ(sender.waitForReceiver(20s, Event()), Status::Ok);
    child.send(SIGSTOP);
    EXPECT_LT(secondsUntil([&] { return sender.receiverCount() == 0; }, 5), 1.2);
    EXPECT_NE(sender.lastEnd().find("no sign of life"), std::string::npos) << sender.lastEnd();
    child.send(SIGCONT);
}

INSTANTIATE_TEST_SUITE_P(Over, PeerFaults, ::testing::ValuesIn(transportsUnderTest()), transportName);

/// A peer made by hand on a raw channel: speaks whatever the test wants.
class HandmadePeer : public ChannelHandler {
  public:
    explicit HandmadePeer(const Url& url)
        : channel_(url.scheme == Scheme::Shm ? connectShm(url, {}, 5s, Event())
                                             : connectTcp(url, {}, 5s, Event())) {}

    void say(std::span<const std::byte> message) { ASSERT_EQ(channel_->sendMessage(message), Status::Ok); }
    void greet(Role role) {
        Hello hello;
        hello.role = role;
        hello.slots = 4;
        say(encodeMessage(hello));
    }
    Channel& channel() { return *channel_; }

    /// The Refuse that the other side answers with, or "" when it hangs up without one.
    std::string refusal() {
        serveUntil([this] { return closed_; });
        return refusal_;
    }
    template <typename Done>
    void serveUntil(Done&& done) {
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!done() && std::chrono::steady_clock::now() < deadline) {
            switch (channel_->process(*this)) {
                case Progress::Closed:
                    closed_ = true;
                    return;
                case Progress::Worked:
                    break;
                case Progress::Idle:
                    if (channel_->readyToSleep()) {
                        waitReadable({channel_->waitDescriptor()}, 100ms);
                    }
            }
        }
    }
    bool formatSeen = false;
    bool slotsSeen = false;
    std::uint32_t epoch = 0;

  private:
    void onMessage(std::span<const std::byte> message) override {
        ByteReader reader(message);
        const auto type = static_cast<MessageType>(reader.get<std::uint8_t>());
        if (type == MessageType::Refuse) {
            refusal_ = decodeRefuse(reader).text;
        }
        if (type == MessageType::Format) {
            formatSeen = true;
            epoch = decodeFormat(reader).epoch;
        }
    }
    void onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t) override { slotsSeen = true; }
    void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override {}
    void onFrame(std::uint32_t, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override {}

    std::unique_ptr<Channel> channel_;
    std::string refusal_;
    bool closed_ = false;
};

class BrokenProtocol : public TransportSuite {
  protected:
    BrokenProtocol() {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        sender = std::make_unique<FrameSender>(options);
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
    std::unique_ptr<FrameSender> sender;
    std::shared_ptr<FramePool> pool;
    Url url;
};

TEST_P(BrokenProtocol, AnotherVersionIsRefusedByName) {
    HandmadePeer peer(url);
    Hello hello;
    hello.role = Role::Receiver;
    hello.version = 999;
    peer.say(encodeMessage(hello));
    EXPECT_NE(peer.refusal().find("version 999"), std::string::npos);
}

TEST_P(BrokenProtocol, AnotherProtocolIsRefused) {
    HandmadePeer peer(url);
    Hello hello;
    hello.magic = 0x20544547;  // "GET "
    peer.say(encodeMessage(hello));
    EXPECT_NE(peer.refusal().find("does not speak"), std::string::npos);
}

TEST_P(BrokenProtocol, AnUnknownAuthenticationIsRefused) {
    HandmadePeer peer(url);
    Hello hello;
    hello.role = Role::Receiver;
    hello.authentication = static_cast<Authentication>(7);
    peer.say(encodeMessage(hello));
    EXPECT_NE(peer.refusal().find("authentication method 7"), std::string::npos);
}

TEST_P(BrokenProtocol, WordsBeforeTheGreetingAreRefused) {
    HandmadePeer peer(url);
    peer.say(encodeMessage(Ping{1}));
    EXPECT_NE(peer.refusal().find("before its greeting"), std::string::npos);
}

TEST_P(BrokenProtocol, TwoGreetingsAreRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    peer.greet(Role::Receiver);
    EXPECT_NE(peer.refusal().find("twice"), std::string::npos);
}

TEST_P(BrokenProtocol, CreditsForSlotsNeverHeldAreRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    std::array<std::byte, kMaxCreditBytes> buffer;
    const std::array<std::uint16_t, 1> slot{65535};
    const std::size_t length = encodeCredit(buffer, 0, slot);
    peer.say(std::span<const std::byte>(buffer).first(length));
    EXPECT_NE(peer.refusal().find("slot 65535"), std::string::npos);
}

TEST_P(BrokenProtocol, AcceptingAnEpochThatWasNotAnnouncedIsRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    peer.say(encodeMessage(Accept{77, 1}));
    EXPECT_NE(peer.refusal().find("epoch 77"), std::string::npos);
}

TEST_P(BrokenProtocol, ACreditListThatEndsTooEarlyIsRefused) {
    HandmadePeer peer(url);
    peer.greet(Role::Receiver);
    std::array<std::byte, kMaxCreditBytes> buffer;
    const std::array<std::uint16_t, 1> slot{0};
    const std::size_t length = encodeCredit(buffer, 0, slot);
    peer.say(std::span<const std::byte>(buffer).first(length - 1));
    EXPECT_NE(peer.refusal().find("ends too early"), std::string::npos);
}

TEST_P(BrokenProtocol, ABrokenPeerDoesNotDisturbAGoodOne) {
    ReceiverOptions options;
    options.url = url;
    FrameReceiver good(options);
    ASSERT_EQ(sender->waitForReceiver(10s, Event()), Status::Ok);
    {
        HandmadePeer peer(url);
        peer.greet(Role::Receiver);
        peer.say(encodeMessage(Accept{77, 1}));
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
    peer.serveUntil([&] { return peer.formatSeen; });
    EXPECT_TRUE(peer.formatSeen);
    EXPECT_EQ(sender->stats().framesTransferred, 0U);
}

INSTANTIATE_TEST_SUITE_P(Over, BrokenProtocol, ::testing::Values("shm", "tcp"), transportName);

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
        peer->say(encodeMessage(FormatMessage{epoch, false, 0, format}));
    }
    void givePool() {
        pool = FramePool::create({.slotBytes = 65536, .slotCount = 4});
        peer->channel().setSourcePool(1, pool);
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
    givePool();
    announce(1, format);
    EXPECT_FALSE(peer->refusal().empty());
}

TEST_P(BrokenSender, TheSameEpochTwiceIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    EXPECT_NE(peer->refusal().find("twice"), std::string::npos);
}

TEST_P(BrokenSender, AFrameBeforeItsFormatIsRefused) {
    givePool();
    OutgoingFrame frame;
    frame.info.payloadBytes = 16384;
    static_cast<void>(peer->channel().sendFrame(frame));
    EXPECT_FALSE(peer->refusal().empty());
}

TEST_P(BrokenSender, AFrameInASlotThatWasNotGivenIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    OutgoingFrame frame;
    frame.localSlot = 0;
    frame.remoteSlot = 200;
    frame.info.epoch = 1;
    frame.info.payloadBytes = 16384;
    if (GetParam() == "shm") {
        // There the slot is the sender's own: naming one that is being read is the fault.
        ASSERT_EQ(peer->channel().sendFrame(frame), Status::Ok);
        frame.info.sequence = 1;
    } else {
        peer->serveUntil([&] { return peer->slotsSeen; });
    }
    static_cast<void>(peer->channel().sendFrame(frame));
    EXPECT_NE(peer->refusal().find("not given"), std::string::npos);
}

TEST_P(BrokenSender, ReceiverTakesTheNextSenderAfterABrokenOne) {
    peer->say(encodeMessage(Hello{}));
    EXPECT_FALSE(peer->refusal().empty());
    HandmadePeer next(parseUrl(receiver->listenAddresses().front()));
    next.greet(Role::Sender);
    EXPECT_LT(secondsUntil([&] { return receiver->status().state == StreamState::Connected; }, 10), 10);
}

INSTANTIATE_TEST_SUITE_P(Over, BrokenSender, ::testing::Values("shm", "tcp"), transportName);

}  // namespace
}  // namespace verbcast
