// Peers that violate the protocol: each one ends only its own session, with a reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "core/base/log/peer_log.h"
#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/core/session/log_text.h"
#include "tests/support/expectations.h"
#include "tests/support/patience.h"
#include "tests/support/raw_peer.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class BrokenProtocol : public TransportSuite {
  protected:
    BrokenProtocol() {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.peerTimeout = kPatience;  // peers made by hand answer no pings
        sender = std::make_unique<Broadcast>(options);
        url = parseUrl(sender->listenAddresses().front());
    }
    /// Offers a frame, so that the sender has a format to announce.
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
    RawPeer peer(url);
    Hello hello;
    hello.role = Role::Receiver;
    hello.version = 999;
    peer.say(hello);
    EXPECT_TRUE(contains(peer.awaitRefusal(), "version 999"));
}

TEST_P(BrokenProtocol, AnotherProtocolIsRefused) {
    RawPeer peer(url);
    Hello hello;
    hello.magic = 0x20544547;  // "GET "
    peer.say(hello);
    EXPECT_TRUE(contains(peer.awaitRefusal(), "does not speak"));
}

TEST_P(BrokenProtocol, WordsBeforeTheGreetingAreRefused) {
    RawPeer peer(url);
    peer.say(Ping{1});
    EXPECT_TRUE(contains(peer.awaitRefusal(), "before its greeting"));
}

TEST_P(BrokenProtocol, TwoGreetingsAreRefused) {
    RawPeer peer(url);
    peer.greet(Role::Receiver);
    peer.greet(Role::Receiver);
    EXPECT_TRUE(contains(peer.awaitRefusal(), "twice"));
}

Credit creditFor(std::uint16_t slot) {
    Credit credit;
    credit.slots.count = 0;
    credit.slots.push(slot);
    return credit;
}

TEST_P(BrokenProtocol, CreditsForSlotsNeverHeldAreRefused) {
    RawPeer peer(url);
    peer.greet(Role::Receiver);
    peer.say(creditFor(65535));
    EXPECT_TRUE(contains(peer.awaitRefusal(), "slot 65535"));
}

TEST_P(BrokenProtocol, AcceptingAnEpochThatWasNotAnnouncedIsRefused) {
    RawPeer peer(url);
    peer.greet(Role::Receiver);
    peer.say(Accept{0, 77, 1, true, 0});
    EXPECT_TRUE(contains(peer.awaitRefusal(), "epoch 77"));
}

TEST_P(BrokenProtocol, ACreditListThatEndsTooEarlyIsRefused) {
    RawPeer peer(url);
    peer.greet(Role::Receiver);
    const auto bytes = encodeMessage(creditFor(0));
    peer.say(std::span<const std::byte>(bytes).first(bytes.size() - 1));
    EXPECT_TRUE(contains(peer.awaitRefusal(), "ends too early"));
}

TEST_P(BrokenProtocol, ATrackThatDoesNotExistIsRefused) {
    RawPeer peer(url);
    peer.greet(Role::Receiver);
    peer.say(Accept{9, 1, 1, true, 0});
    EXPECT_TRUE(contains(peer.awaitRefusal(), "track 9"));
}

TEST_P(BrokenProtocol, ABrokenPeerDoesNotDisturbAGoodOne) {
    ReceiverOptions options;
    options.url = url;
    FrameReceiver good(options);
    ASSERT_EQ(sender->waitForReceiver(10s, Event()), Status::Ok);
    {
        RawPeer peer(url);
        peer.greet(Role::Receiver);
        peer.say(Accept{0, 77, 1, true, 0});
        EXPECT_FALSE(peer.awaitRefusal().empty());
    }
    offerFrame();
    ReceivedFrame frame;
    EXPECT_EQ(good.receive(frame, 10s), Status::Ok);
}

TEST_P(BrokenProtocol, APeerThatNeverTakesAFrameDoesNotStopTheSource) {
    RawPeer peer(url);
    peer.accepts = false;
    peer.greet(Role::Receiver);
    ASSERT_EQ(sender->waitForReceiver(10s, Event()), Status::Ok);
    for (int i = 0; i < 50; ++i) {
        offerFrame();
    }
    ASSERT_TRUE(peer.serveUntil([&] { return !peer.formats.empty(); }));
    EXPECT_NE(peer.formats.back().epoch, 0U);
    EXPECT_EQ(sender->stats().framesTransferred, 0U);
}

/// It takes no more frames and only says that it is there.
TEST_P(BrokenProtocol, EmptyWordsAreNoProgressAndHoldNobodyUp) {
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    for (const std::string words : {"credit", "accept", "decline"}) {
        SCOPED_TRACE(words);
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.policy = Policy::Lossless;
        options.stallTimeout = 300ms;
        options.peerTimeout = kPatience;
        Broadcast lossless(options);
        const auto ring = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 8});
        RawPeer peer(parseUrl(lossless.listenAddresses().front()));
        peer.greet(Role::Receiver);
        const Event cancel;
        std::atomic<bool> over{false};
        std::jthread source([&] {
            EXPECT_EQ(lossless.waitForReceiver(kPatience, cancel), Status::Ok);
            for (int frame = 0; frame < 40 && !cancel.isSet(); ++frame) {
                if (auto lease = ring->acquire(kPatience, &cancel)) {
                    static_cast<void>(lossless.submit(std::move(*lease), format, {}, cancel));
                }
            }
            over = true;
        });
        TimestampNs saidAt = 0;
        peer.serveUntil([&] {
            if (!peer.formats.empty() && nowNs() - saidAt > 50'000'000) {
                saidAt = nowNs();
                const std::uint32_t epoch = peer.formats.back().epoch;
                if (words == "credit") {
                    Credit none;
                    none.slots.count = 0;
                    peer.say(none);
                } else {
                    peer.say(Accept{0, epoch, 0, words == "accept", 0});
                }
            }
            return over.load();
        });
        EXPECT_TRUE(over || peer.closed) << "the source is held up";
        cancel.notify();
    }
}

VERBCAST_OVER_TRANSPORTS(BrokenProtocol, transportsUnderTest());

/// The reverse: a handmade sender against our receiver.
class BrokenSender : public TransportSuite {
  protected:
    BrokenSender() {
        ReceiverOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.listen = true;
        options.peerTimeout = kPatience;
        receiver = std::make_unique<FrameReceiver>(options);
        peer = std::make_unique<RawPeer>(parseUrl(receiver->listenAddresses().front()));
        peer->greet(Role::Sender);
    }
    void announce(std::uint32_t epoch, const VideoFormat& format) {
        peer->say(FormatMessage{0, epoch, Policy::Latest, 0, TrackFormat::ofVideo(format)});
    }
    void givePool() {
        pool = FramePool::create({.slotBytes = 65536, .slotCount = 4});
        peer->setSource(pool);
    }
    std::unique_ptr<FrameReceiver> receiver;
    std::unique_ptr<RawPeer> peer;
    std::shared_ptr<FramePool> pool;
};

TEST_P(BrokenSender, AnImpossibleFormatIsRefused) {
    givePool();
    VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    format.planes[0].stride = 1;
    announce(1, format);
    EXPECT_TRUE(contains(peer->awaitRefusal(), "impossible format"));
}

TEST_P(BrokenSender, AStreamLargerThanTheMachineEndsWithTheReason) {
    VideoFormat format = tightFormat(16384, 16384, PixelFormat::rgba);
    layOutPlanes(format, 1 << 18, 4096);
    format.payloadBytes = tightBytes(format) * 4;
    announce(1, format);
    EXPECT_FALSE(peer->awaitRefusal().empty());
}

TEST_P(BrokenSender, EpochsCountFromOne) {
    givePool();
    announce(0, tightFormat(64, 64, PixelFormat::rgba));
    EXPECT_TRUE(contains(peer->awaitRefusal(), "epoch 0"));
}

TEST_P(BrokenSender, TheSameEpochTwiceIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    EXPECT_TRUE(contains(peer->awaitRefusal(), "twice"));
}

TEST_P(BrokenSender, GapsDoNotFillTheLog) {
    summarizeAllPeers();  // what tests before this one have left out
    LogText log;
    constexpr std::uint32_t kFrames = 40;
    pool = FramePool::create({.slotBytes = 65536, .slotCount = kFrames, .hugePages = false});
    peer->setSource(pool);
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    peer->say(FormatMessage{0, 1, Policy::Lossless, 0, TrackFormat::ofVideo(format)});
    for (std::uint32_t i = 0; i < kFrames; ++i) {
        ASSERT_TRUE(peer->accepted(1)) << peer->refusal;
        FrameInfo info;
        info.epoch = 1;
        info.sequence = 2 * std::uint64_t{i};
        info.payloadBytes = format.payloadBytes;
        ASSERT_TRUE(peer->serveUntil([&] { return peer->sharesMemory() || peer->framesSent == i; }));
        ASSERT_EQ(peer->sendFrame(*pool->tryAcquire(), info), Status::Ok);
        ReceivedFrame frame;
        ASSERT_TRUE(
            peer->serveUntil([&] { return frame.lease || receiver->receive(frame, 1ms) == Status::Ok; }));
    }
    EXPECT_EQ(receiver->stats().framesLost, kFrames - 1);
    summarizeAllPeers();
    const std::string text = log.end();
    EXPECT_LE(std::ranges::count(text, '\n'), 6) << text;
    EXPECT_TRUE(contains(text, "more like it"));
}

/// Transports over which the sender offers its own ring and needs none from the receiver.
class BrokenOwner : public BrokenSender {};

TEST_P(BrokenOwner, AFrameBeforeItsFormatIsRefused) {
    givePool();
    FrameInfo info;
    info.payloadBytes = 16384;
    static_cast<void>(peer->sendFrame(0, 0, info));
    EXPECT_FALSE(peer->awaitRefusal().empty());
}

TEST_P(BrokenSender, AFrameInASlotThatWasNotGivenIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    FrameInfo info;
    info.epoch = 1;
    info.payloadBytes = 16384;
    if (peer->sharesMemory()) {
        // Here the slot is the sender's own: the violation is naming a slot that is still being read.
        ASSERT_EQ(peer->sendFrame(0, 0, info), Status::Ok);
        info.sequence = 1;
        ASSERT_EQ(peer->sendFrame(0, 0, info), Status::Ok);
        EXPECT_TRUE(contains(peer->awaitRefusal(), "not given"));
        return;
    }
    peer->serveUntil([&] { return peer->heard(MessageType::Credit); });
    ASSERT_EQ(peer->sendFrame(0, 0, info), Status::Ok);
    peer->serveUntil([&] { return peer->framesSent == 1; });
    ReceivedFrame held;
    ASSERT_EQ(receiver->receive(held, 10s), Status::Ok);
    info.sequence = 1;
    static_cast<void>(peer->sendFrame(0, 0, info));
    EXPECT_TRUE(contains(peer->awaitRefusal(), "not given")) << "it is being read";
}

TEST_P(BrokenSender, AFrameOfAnotherTrackThanItsRingIsRefused) {
    givePool();
    announce(1, tightFormat(64, 64, PixelFormat::rgba));
    peer->serveUntil([&] {
        return peer->heard(MessageType::Credit) || (peer->sharesMemory() && peer->heard(MessageType::Accept));
    });
    FrameInfo info;
    info.epoch = 1;
    info.track = 3;
    info.payloadBytes = 16384;
    static_cast<void>(peer->sendFrame(0, 0, info));
    EXPECT_TRUE(contains(peer->awaitRefusal(), "track 3"));
}

TEST_P(BrokenSender, ReceiverTakesTheNextSenderAfterABrokenOne) {
    peer->say(Hello{});
    EXPECT_FALSE(peer->awaitRefusal().empty());
    RawPeer next(parseUrl(receiver->listenAddresses().front()));
    next.greet(Role::Sender);
    EXPECT_TRUE(next.serveUntil([&] { return receiver->status().state == StreamState::Connected; }));
}

VERBCAST_OVER_TRANSPORTS(BrokenSender, transportsUnderTest());
INSTANTIATE_TEST_SUITE_P(Over, BrokenOwner, ::testing::ValuesIn(transportsThatShareMemory()), transportName);

}  // namespace
}  // namespace verbcast::testing
