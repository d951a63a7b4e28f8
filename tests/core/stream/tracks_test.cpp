// Streams with several tracks, several senders, and sessions without frames.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "core/session/greeting/connect_best.h"
#include "core/session/greeting/listener_set.h"
#include "core/stream/stream_acceptor.h"
#include "tests/core/session/connection_cutter.h"
#include "tests/core/session/core_support.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

/// Frames of varying length on one track.
struct BytesSource {
    explicit BytesSource(TrackId of, std::uint32_t slots = 8)
        : track(of), pool(FramePool::create({.slotBytes = kMax, .slotCount = slots})) {}

    static std::uint64_t lengthOf(std::uint64_t number) { return 1 + number * 7919 % kMax; }
    std::optional<FrameLease> make() {
        auto lease = pool->acquire(kLimit, &never);
        if (lease) {
            TestSource::fill(lease->data(), lengthOf(next), next);
        }
        return lease;
    }
    Status send(Broadcast& sender) {
        auto lease = make();
        if (!lease) {
            return Status::TimedOut;
        }
        FrameInfo info;
        info.track = track;
        info.pts = static_cast<std::int64_t>(next);
        const Status status =
            sender.submit(std::move(*lease), TrackFormat::ofBytes(kMax), lengthOf(next), info, never);
        next += status == Status::Ok ? 1 : 0;
        return status;
    }

    static constexpr std::uint64_t kMax = 20'000;
    TrackId track;
    std::shared_ptr<FramePool> pool;
    std::uint64_t next = 0;
    Event never;
};

class Tracks : public TransportSuite {
  protected:
    SenderOptions lossless() const { return senderOptions(GetParam(), Policy::Lossless); }
    static ReceiverOptions withBytes(const Broadcast& sender) {
        ReceiverOptions options = receiverOptions(sender);
        options.further.resize(1);
        return options;
    }
    /// Takes whole frames without a gap until the stream is over; returns how many.
    static std::uint64_t takeAll(FrameReceiver& viewer, TrackId track) {
        std::uint64_t next = 0;
        ReceivedFrame frame;
        for (; viewer.receive(frame, kLimit, track) == Status::Ok; ++next) {
            EXPECT_EQ(frame.info.track, track);
            EXPECT_EQ(frame.info.sequence, next);
            EXPECT_EQ(frame.format == nullptr, track == 1);
            EXPECT_TRUE(track == 0 || frame.lossless);
            EXPECT_TRUE(track == 0 || frame.info.payloadBytes == BytesSource::lengthOf(next));
            EXPECT_TRUE(isWhole(frame));
        }
        return next;
    }
};

TEST_P(Tracks, VideoAndBytesArriveExactlyBesideEachOther) {
    Broadcast sender(lossless());
    FrameReceiver viewer(withBytes(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    constexpr std::uint64_t kVideo = 60;
    constexpr std::uint64_t kBytes = 180;
    auto sending = std::async(std::launch::async, [&] {
        TestSource video;
        BytesSource bytes(1);
        while (video.next < kVideo) {
            ASSERT_EQ(video.send(sender), Status::Ok);
            for (int i = 0; i < 3; ++i) {
                ASSERT_EQ(bytes.send(sender), Status::Ok);
            }
        }
        EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    });
    auto bytes = std::async(std::launch::async, [&] { return takeAll(viewer, 1); });
    EXPECT_EQ(takeAll(viewer, 0), kVideo);
    EXPECT_EQ(bytes.get(), kBytes);
    sending.get();
    EXPECT_EQ(viewer.stats().framesTransferred, kVideo);
    EXPECT_EQ(viewer.stats().stagePost.count, kVideo);
    EXPECT_EQ(viewer.stats(1).framesTransferred, kBytes);
    EXPECT_EQ(viewer.stats(1).stagePost.count, kBytes);
    EXPECT_EQ(viewer.stats().framesLost + viewer.stats(1).framesLost, 0U);
    EXPECT_EQ(sender.stats().framesTransferred, kVideo) << "of the first track";
    EXPECT_EQ(viewer.status().senderReason, "done");
}

TEST_P(Tracks, TheNewestOfOneSkipsNothingOfAnother) {
    Broadcast sender(lossless());
    FrameReceiver viewer(withBytes(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    constexpr std::uint64_t kFrames = 6;  // fewer than slots
    TestSource video;
    BytesSource bytes(1);
    while (video.next < kFrames) {
        ASSERT_EQ(video.send(sender), Status::Ok);
        ASSERT_EQ(bytes.send(sender), Status::Ok);
    }
    ReceivedFrame frame;
    ASSERT_TRUE(eventually([&] { return viewer.stats().framesTransferred == kFrames; }));
    ASSERT_TRUE(eventually([&] { return viewer.stats(1).framesTransferred == kFrames; }));
    ASSERT_EQ(viewer.receiveNewest(frame, kLimit), Status::Ok);
    EXPECT_EQ(frame.info.track, 0);
    EXPECT_EQ(frame.info.sequence, kFrames - 1);
    EXPECT_EQ(viewer.stats().framesSkipped, kFrames - 1);
    auto finishing = std::async(std::launch::async, [&] { return sender.finish("done", kLimit, Event()); });
    EXPECT_EQ(takeAll(viewer, 1), kFrames);
    frame = {};
    EXPECT_EQ(takeAll(viewer, 0), 0U);
    EXPECT_EQ(finishing.get(), Status::Ok);
    EXPECT_EQ(viewer.stats(1).framesSkipped, 0U);
}

TEST_P(Tracks, ALosslessOneBesideALiveOneLosesNothing) {
    SenderOptions options = senderOptions(GetParam(), Policy::Latest);
    options.policies[1] = Policy::Lossless;
    Broadcast sender(options);
    FrameReceiver viewer(withBytes(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    constexpr std::uint64_t kFrames = 100;
    auto bytesTaken = std::async(std::launch::async, [&] { return takeAll(viewer, 1); });
    auto picturesTaken = std::async(std::launch::async, [&] {
        ReceivedFrame frame;
        std::uint64_t taken = 0;
        for (; viewer.receiveNewest(frame, kLimit) == Status::Ok; ++taken) {
            EXPECT_FALSE(frame.lossless);
        }
        return taken;
    });
    TestSource video;
    BytesSource bytes(1);
    while (bytes.next < kFrames) {
        ASSERT_EQ(bytes.send(sender), Status::Ok);
        ASSERT_EQ(video.sendToWhoComes(sender), Status::Ok);
    }
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(bytesTaken.get(), kFrames);
    EXPECT_LE(picturesTaken.get(), kFrames);
    EXPECT_EQ(viewer.stats(1).framesLost, 0U);
}

TEST_P(Tracks, ATrackThatIsDeclinedHoldsNobodyUp) {
    Broadcast sender(lossless());
    FrameReceiver viewer(receiverOptions(sender));
    FrameReceiver other(withBytes(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 2; }));
    constexpr std::uint64_t kFrames = 40;
    auto taking = std::async(std::launch::async, [&] { return takeAll(viewer, 0); });
    auto takingPictures = std::async(std::launch::async, [&] { return takeAll(other, 0); });
    auto takingBytes = std::async(std::launch::async, [&] { return takeAll(other, 1); });
    TestSource video;
    BytesSource bytes(1);
    while (video.next < kFrames) {
        ASSERT_EQ(bytes.send(sender), Status::Ok);
        ASSERT_EQ(video.send(sender), Status::Ok);
    }
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(taking.get(), kFrames);
    EXPECT_EQ(takingPictures.get(), kFrames);
    EXPECT_EQ(takingBytes.get(), kFrames);
    EXPECT_EQ(viewer.stats().framesLost, 0U);
    EXPECT_EQ(sender.stats().connections, 2U);
}

TEST_P(Tracks, ViewersThatStallDoNotHoldUpAnyTrackOfALiveStream) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    RawPeer stalled(sender);
    stalled.greet(Role::Receiver);
    ASSERT_TRUE(stalled.greeted());
    TestSource video;
    BytesSource bytes(1);
    ASSERT_EQ(video.sendToWhoComes(sender), Status::Ok);
    ASSERT_EQ(bytes.send(sender), Status::Ok);
    ASSERT_TRUE(stalled.serveUntil([&] { return stalled.formats.size() == 2; }));
    stalled.takesFrames = false;
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(bytes.send(sender), Status::Ok) << i;
        ASSERT_EQ(video.send(sender), Status::Ok) << i;
    }
}

TEST_P(Tracks, TheEndWaitsForFramesOfEveryTrackThatAreAnnounced) {
    // Messages and payload may take different routes: the end may arrive first.
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    options.further.resize(1);
    FrameReceiver viewer(options);
    RawPeer peer(viewer);
    peer.greet(Role::Sender, 42);
    ASSERT_TRUE(peer.greeted());
    BytesSource bytes(1);
    peer.announce(1, 1, TrackFormat::ofBytes(BytesSource::kMax), bytes.pool);
    ASSERT_TRUE(peer.accepted(1));
    peer.say(EndOfTrack{0, 0, false, "done"});
    peer.say(EndOfTrack{1, 1, true, "done"});
    ReceivedFrame frame;
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(viewer.receive(frame, 10ms, 1), Status::TimedOut);
        ASSERT_TRUE(peer.serve()) << "it ends before the frame has come";
    }
    ASSERT_FALSE(peer.heard(MessageType::Bye));
    FrameInfo info;
    info.epoch = 1;
    info.track = 1;
    info.payloadBytes = BytesSource::lengthOf(0);
    ASSERT_EQ(peer.sendFrame(std::move(*bytes.make()), info), Status::Ok);
    ASSERT_TRUE(eventually([&] {
        peer.serve();
        return viewer.receive(frame, 10ms, 1) == Status::Ok;
    }));
    EXPECT_EQ(frame.info.payloadBytes, info.payloadBytes);
    frame = {};
    EXPECT_TRUE(eventually([&] {
        peer.serve();
        static_cast<void>(viewer.receive(frame, 10ms, 1));
        return peer.heard(MessageType::Bye);
    }));
}

TEST_P(Tracks, SeveralSendersEachHaveAStreamAndOneThatComesBackContinuesItsOwn) {
    StreamAcceptorOptions options;
    options.url = parseUrl(listenAddressFor(GetParam()));
    options.stream.peerTimeout = kLimit;
    options.maxStreams = 2;
    StreamAcceptor acceptor(options);
    SenderOptions sending = lossless();
    sending.listen = false;
    sending.url = parseUrl(acceptor.listenAddresses().front());
    std::vector<std::unique_ptr<Broadcast>> senders;
    std::vector<std::shared_ptr<IncomingStream>> streams;
    const bool canCut = GetParam() == "shm" || GetParam() == "tcp";
    std::set<int> before, ofSecond;
    for (const char* name : {"left", "right"}) {
        before = connectedSockets(GetParam().name);
        sending.name = name;
        senders.push_back(std::make_unique<Broadcast>(sending));
        streams.push_back(acceptor.accept(kLimit, Event()));
        ASSERT_TRUE(streams.back());
        ASSERT_EQ(senders.back()->waitForReceiver(kLimit, Event()), Status::Ok);
        EXPECT_EQ(streams.back()->status().peerName, name);
    }
    ofSecond = newOnes(connectedSockets(GetParam().name), before);
    sending.reconnect = false;
    sending.name = "one too many";
    Broadcast third(sending);
    EXPECT_EQ(third.waitForReceiver(kLimit, Event()), Status::Closed);
    EXPECT_TRUE(contains(third.lastEnd().reason, "as many streams as it may"));

    constexpr std::uint64_t kFrames = 120;
    const auto send = [](Broadcast& sender) {
        TestSource source;
        while (source.next < kFrames) {
            ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok) << source.next;
        }
    };
    const auto receive = [&](IncomingStream& stream, bool cuts) {
        ReceivedFrame frame;
        for (std::uint64_t expected = 0; expected < kFrames; ++expected) {
            ASSERT_EQ(stream.receive(frame, kLimit), Status::Ok) << expected;
            ASSERT_EQ(frame.info.sequence, expected);
            frame = {};
            if (cuts && expected == 60) {
                cut(ofSecond, Cut::Abrupt);
            }
        }
    };
    auto sendingLeft = std::async(std::launch::async, [&] { send(*senders[0]); });
    auto sendingRight = std::async(std::launch::async, [&] { send(*senders[1]); });
    auto left = std::async(std::launch::async, [&] { receive(*streams[0], false); });
    receive(*streams[1], canCut);
    left.get();
    sendingLeft.get();
    sendingRight.get();
    EXPECT_EQ(streams[0]->stats().connections, 1U);
    EXPECT_EQ(streams[1]->stats().connections, canCut ? 2U : 1U);
    EXPECT_EQ(streams[1]->stats().framesLost, 0U);
    EXPECT_FALSE(acceptor.accept(10ms, Event())) << "it continued the stream it had";
    // An ended stream frees its place once nobody holds it.
    auto finishing =
        std::async(std::launch::async, [&] { return senders[0]->finish("done", kLimit, Event()); });
    ReceivedFrame frame;
    EXPECT_EQ(streams[0]->receive(frame, kLimit), Status::Closed);
    EXPECT_EQ(finishing.get(), Status::Ok);
    EXPECT_TRUE(streams[0]->over());
    EXPECT_FALSE(streams[1]->over());
    streams[0].reset();
    sending.reconnect = true;
    Broadcast fourth(sending);
    EXPECT_TRUE(acceptor.accept(kLimit, Event()));
}

VERBCAST_OVER_TRANSPORTS(Tracks, transportsForCrowds());

// Messages only ------------------------------------------------------------------------------------------

/// A session that transfers no frames, such as a remote control.
class ControlLink final : public Link {
  public:
    using Link::Link;
    ~ControlLink() override { disconnect(); }
    std::atomic<int> ticks{0};
    std::atomic<int> reports{0};

  private:
    void onReady() override { EXPECT_EQ(pathIfAny(), nullptr); }
    bool onSessionMessage(MessageType type, ByteReader&) override {
        reports += type == MessageType::Report ? 1 : 0;
        if (type == MessageType::Bye) {
            end(SessionEnd::Kind::Orderly, "bye");
        }
        return true;
    }
    bool moveOn() override { return false; }
    void onTick(TimestampNs) override {
        ++ticks;
        send(Report{});
    }
};

class ControlOnly : public TransportSuite {};

TEST_P(ControlOnly, ALinkWithoutAFramePathLivesOnItsPings) {
    ListenerSet listeners(parseUrl(listenAddressFor(GetParam())), {});
    auto connecting = std::async(std::launch::async, [&] {
        return connectBest(parseUrl(listeners.addresses().front()), {}, Deadline::in(kLimit), Event());
    });
    Connection accepted;
    ASSERT_TRUE(eventually([&] {
        accepted = accepted ? accepted : listeners.accept();
        return static_cast<bool>(accepted) && connecting.wait_for(0s) == std::future_status::ready;
    }));
    Connection connected = connecting.get().connection;
    accepted.frames.reset();
    connected.frames.reset();
    HandshakeOptions sender{.role = Role::Sender, .name = "listener"};
    HandshakeOptions receiver{.role = Role::Receiver, .name = "caller"};
    Greeting listening(std::move(accepted), sender, Side::Listening);
    auto greeted =
        std::async(std::launch::async, [&] { return greet(std::move(connected), receiver, Event()); });
    ASSERT_TRUE(eventually([&] { return listening.serve() == Handshake::State::Asked; }));
    listening.admit();
    // Messages that the channel has queued are sent when it is served.
    ControlLink one(listening.take(), {.peerTimeout = 4s});
    auto runningOne = std::async(std::launch::async, [&] { return one.run(); });
    auto outcome = greeted.get();
    ASSERT_TRUE(std::holds_alternative<PeerConnection>(outcome)) << std::get<SessionEnd>(outcome).reason;
    ControlLink other(std::move(std::get<PeerConnection>(outcome)), {.peerTimeout = 4s});
    auto runningOther = std::async(std::launch::async, [&] { return other.run(); });
    // These take longer than the peer timeout: without answers to its pings, each side would be lost by then.
    constexpr int kTicks = 24;
    EXPECT_TRUE(eventually([&] { return one.ticks >= kTicks && other.reports >= kTicks; }));
    EXPECT_EQ(runningOne.wait_for(0s), std::future_status::timeout);
    EXPECT_EQ(runningOther.wait_for(0s), std::future_status::timeout);
    one.stop("enough");
    EXPECT_EQ(runningOne.get().kind, SessionEnd::Kind::Stopped);
    EXPECT_EQ(runningOther.get().kind, SessionEnd::Kind::Orderly);
}

VERBCAST_OVER_TRANSPORTS(ControlOnly, transportsForCrowds());

}  // namespace
}  // namespace verbcast::testing
