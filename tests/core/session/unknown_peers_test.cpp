// Unexpected callers and peers: silent ones, too many of them, and ones that leave at once.
#include <gtest/gtest.h>

#include <future>

#include "tests/core/session/unknown_peers.h"
#include "tests/support/expectations.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

TEST_P(UnknownPeers, TheSeventeenthViewerIsToldThatTheSenderIsBusy) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    std::vector<std::unique_ptr<RawPeer>> peers;
    for (int i = 0; i < 16; ++i) {
        peers.push_back(std::make_unique<RawPeer>(sender));
        peers.back()->greet(Role::Receiver);
        ASSERT_TRUE(peers.back()->greeted()) << i;
    }
    RawPeer raw(sender);
    raw.greet(Role::Receiver);
    EXPECT_TRUE(contains(raw.awaitRefusal(), "maximum number of viewers")) << raw.refusal;
    EXPECT_EQ(raw.refuseCode, RefuseCode::Busy);
    EXPECT_FALSE(raw.heard(MessageType::Hello)) << "a refused peer was never in the session";
    ReceiverOptions once = receiverOptions(sender);
    once.reconnect = false;
    FrameReceiver late(once);
    ReceivedFrame frame;
    const Error error = thrownBy([&] { static_cast<void>(late.receive(frame, kLimit)); });
    EXPECT_EQ(error.kind(), ErrorKind::Peer);
    EXPECT_TRUE(contains(error.what(), "maximum number of viewers"));
    EXPECT_EQ(sender.receiverCount(), 16U);
    // A viewer that may retry reports the reason meanwhile and is admitted when another leaves.
    FrameReceiver patient(receiverOptions(sender));
    EXPECT_TRUE(eventually([&] {
        return patient.status().text.find("maximum number of viewers") != std::string::npos;
    })) << patient.status().text;
    peers.pop_back();
    EXPECT_TRUE(eventually([&] { return patient.status().state == StreamState::Connected; }));
}

TEST_P(UnknownPeers, AViewerThatTookNothingLostNothing) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    TestSource source;
    {
        RawPeer mute(sender);
        mute.accepts = false;
        mute.greet(Role::Receiver);
        ASSERT_TRUE(mute.greeted());
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
    }
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 0; }));
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(sender.stats().framesLost, 0U);
}

TEST_P(UnknownPeers, AViewerWithoutANameIsCalledByItsAddress) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    RawPeer raw(sender);
    raw.name.clear();
    raw.greet(Role::Receiver);
    ASSERT_TRUE(raw.greeted());
    ASSERT_TRUE(eventually([&] { return sender.receivers().size() == 1; }));
    EXPECT_NE(sender.receivers().front().viewer.name, "");
    EXPECT_EQ(sender.receivers().front().viewer.name, sender.receivers().front().viewer.peer);
}

TEST_P(UnknownPeers, FortyThatSayNothingKeepNobodyOutAndCostNoThreads) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    const std::size_t threads = threadsOfThisProcess();
    std::vector<std::unique_ptr<RawPeer>> silent;
    for (int i = 0; i < 40; ++i) {
        silent.push_back(std::make_unique<RawPeer>(sender));
    }
    EXPECT_LE(threadsOfThisProcess(), threads + 1);
    ReceiverOptions once = receiverOptions(sender);
    once.reconnect = false;  // no second attempt: the first must succeed
    FrameReceiver viewer(once);
    TestSource source;
    expectAFrame(sender, viewer, source);
    EXPECT_LE(threadsOfThisProcess(), threads + 4) << "those of the viewer, and of its link";
    EXPECT_EQ(sender.receiverCount(), 1U);
    // All of them are eventually disconnected.
    EXPECT_TRUE(eventually(
        [&] { return std::ranges::all_of(silent, [](const auto& peer) { return !peer->serve(); }); }));
}

TEST_P(UnknownPeers, ACallerInTheMiddleOfItsGreetingKeepsItsPlaceInACrowd) {
    SenderOptions options = senderOptions(GetParam(), Policy::Latest);
    options.trust.key = NamedKey{"test", SessionKey::random()};
    Broadcast sender(options);
    RawPeer slow(sender);
    // A TLS record with the first 40 of 512 bytes of a client's greeting (RFC 8446, 4 and 5.1).
    std::vector<std::byte> beginning(49);
    const std::array<int, 9> header{22, 3, 1, 0, 44, 1, 0, 2, 0};
    std::ranges::transform(header, beginning.begin(), [](int value) { return std::byte(value); });
    slow.say(beginning);
    slow.serve();
    std::vector<std::unique_ptr<RawPeer>> silent;
    for (int i = 0; i < 40; ++i) {
        silent.push_back(std::make_unique<RawPeer>(sender));
    }
    EXPECT_NE(silent.front()->awaitRefusal(), "");
    EXPECT_EQ(silent.front()->refuseCode, RefuseCode::Crowded);
    EXPECT_EQ(slow.awaitRefusal(), "") << "it is hung up on when its time is over";
}

TEST_P(UnknownPeers, AListeningViewerIsNotKeptFromItsSenderEither) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    FrameReceiver viewer(options);
    const std::size_t threads = threadsOfThisProcess();
    std::vector<std::unique_ptr<RawPeer>> silent;
    for (int i = 0; i < 40; ++i) {
        silent.push_back(std::make_unique<RawPeer>(viewer));
    }
    EXPECT_LE(threadsOfThisProcess(), threads + 1);
    SenderOptions sending = senderOptions(GetParam(), Policy::Latest);
    sending.listen = false;
    sending.reconnect = false;
    sending.url = parseUrl(viewer.listenAddresses().front());
    Broadcast sender(sending);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok) << sender.lastEnd().reason;
    TestSource source;
    expectAFrame(sender, viewer, source);
}

TEST_P(UnknownPeers, AnEmptyStreamDoesNotEndAViewerThatWaitsForASender) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    options.reconnect = false;
    FrameReceiver viewer(options);
    {
        RawPeer stranger(viewer);
        stranger.greet(Role::Sender);
        ASSERT_TRUE(stranger.greeted());
        stranger.say(EndOfTrack{0, 0, true, "nothing"});
        stranger.say(Bye{"nothing"});
        stranger.awaitRefusal();
        EXPECT_EQ(stranger.refusal, "");
    }
    {
        RawPeer stranger(viewer);
        stranger.greet(Role::Sender);
        ASSERT_TRUE(stranger.greeted());
        stranger.say(Accept{});  // invalid from a sender
        stranger.say(FormatMessage{.epoch = 1, .format = TrackFormat::ofBytes(0)});
        EXPECT_NE(stranger.awaitRefusal(), "");
    }
    ReceivedFrame frame;
    EXPECT_EQ(viewer.receive(frame, 20ms), Status::TimedOut);
    SenderOptions sending = senderOptions(GetParam(), Policy::Lossless);
    sending.listen = false;
    sending.url = parseUrl(viewer.listenAddresses().front());
    Broadcast sender(sending);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource source;
    ASSERT_EQ(source.send(sender), Status::Ok);
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    EXPECT_TRUE(isWhole(frame));
    frame = {};
    auto finishing = std::async(std::launch::async, [&] { return sender.finish("done", kLimit, Event()); });
    EXPECT_EQ(viewer.receive(frame, kLimit), Status::Closed) << "a real stream's end is one";
    EXPECT_EQ(finishing.get(), Status::Ok);
}

TEST_P(UnknownPeers, ASenderThatChangesItsSizeWhileTheConsumerStallsIsNotAccused) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    constexpr std::uint32_t kSizes = 20;
    constexpr std::uint64_t kEach = 3;
    auto sending = std::async(std::launch::async, [&] {
        std::vector<std::unique_ptr<TestSource>> sources;
        for (std::uint32_t size = 0; size < kSizes; ++size) {
            sources.push_back(
                std::make_unique<TestSource>(tightFormat(64 + 64 * size, 64, PixelFormat::rgba), 4));
            sources.back()->next = size * kEach;
            for (std::uint64_t i = 0; i < kEach; ++i) {
                ASSERT_EQ(sources.back()->send(sender), Status::Ok) << sender.lastEnd().reason;
            }
        }
        EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    });
    std::this_thread::sleep_for(300ms);  // the consumer takes no frames
    ReceivedFrame frame;
    std::uint64_t count = 0;
    while (viewer.receive(frame, kLimit) == Status::Ok) {
        ASSERT_EQ(frame.info.sequence, count);
        ASSERT_EQ(frame.format->width, 64 + 64 * (count / kEach));
        ASSERT_TRUE(isWhole(frame));
        ++count;
    }
    sending.get();
    EXPECT_EQ(count, kSizes * kEach);
    EXPECT_EQ(viewer.stats().connections, 1U);
    EXPECT_FALSE(sender.lastEnd().isLoss()) << sender.lastEnd().reason;
}

TEST(Departures, ThatNobodyAsksForAreBounded) {
    SenderOptions options = senderOptions({"shm", "shm://departures-#"}, Policy::Latest);
    options.peerTimeout = 10min;
    Broadcast sender(options);
    RawPeer stays(sender);
    stays.greet(Role::Receiver);
    ASSERT_TRUE(stays.greeted());
    constexpr std::size_t kMost = 1024;
    for (std::size_t viewer = 0; viewer < kMost + 20; ++viewer) {
        RawPeer leaves(sender);
        leaves.greet(Role::Receiver);
        ASSERT_TRUE(leaves.greeted()) << viewer;
    }
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    EXPECT_EQ(sender.takeDepartures().size(), kMost);
    EXPECT_LT(sender.takeDepartures().size(), 20U);  // who is no longer counted may be told of a little later
}

VERBCAST_OVER_TRANSPORTS(UnknownPeers, transportsForCrowds());

}  // namespace
}  // namespace verbcast::testing
