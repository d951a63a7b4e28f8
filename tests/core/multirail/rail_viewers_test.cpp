// A viewer with several rails is one viewer to its sender, however slow the rails are and whenever they
// connect.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "core/multirail/rail_viewer.h"
#include "core/stream/send/input_turns.h"
#include "core/sync/frame_lock_listener.h"
#include "tests/core/multirail/tcp_forwarder.h"
#include "tests/core/session/connection_cutter.h"
#include "tests/core/session/core_support.h"
#include "tests/core/session/memory_channel.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

std::uint64_t timesDownOf(const std::vector<RailStats>& rails) {
    std::uint64_t sum = 0;
    std::ranges::for_each(rails, [&](const RailStats& rail) { sum += rail.timesDown; });
    return sum;
}

std::size_t railsUpOf(const std::vector<RailStats>& rails) {
    return static_cast<std::size_t>(std::ranges::count_if(rails, &RailStats::up));
}

SenderOptions patientSender(Policy policy, const std::string& url) {
    SenderOptions options;
    options.url = parseUrl(url);
    options.policy = policy;
    options.peerTimeout = options.stallTimeout = kLimit;
    options.trust.open = true;
    return options;
}

ReceiverOptions listeningViewer() {
    ReceiverOptions options = receiverOptions("tcp://127.0.0.1:0");
    options.listen = true;
    return options;
}

TEST(RailViewers, OneWhoseRailsAreSlowerThanTheSourceKeepsThem) {
    for (const RailMode mode : {RailMode::Double, RailMode::Stripe}) {
        SCOPED_TRACE(nameOf(mode));
        constexpr std::uint64_t kBytesPerSecond = 16'000'000;
        Broadcast sender(patientSender(Policy::Latest, "tcp://127.0.0.1:0"));
        const std::string address = sender.listenAddresses().front();
        const TcpForwarder first("tcp://127.0.0.1:0", address, kBytesPerSecond);
        const TcpForwarder second("tcp://127.0.0.1:0", address, kBytesPerSecond);
        ReceiverOptions receiving = receiverOptions(first.url());
        receiving.spares = {parseUrl(second.url())};
        receiving.rails = mode;
        FrameReceiver viewer(receiving);
        ASSERT_TRUE(eventually([&] { return railsUpOf(viewer.stats().rails) == 2; }));
        TestSource source(tightFormat(640, 480, PixelFormat::rgba), 8);
        ReceivedFrame frame;
        for (int got = 0; got < 24;) {
            ASSERT_EQ(source.send(sender), Status::Ok) << source.next;
            const Status status = viewer.receive(frame, 1ms);
            ASSERT_TRUE(status == Status::Ok || status == Status::TimedOut);
            got += status == Status::Ok ? 1 : 0;
            frame = {};
        }
        EXPECT_EQ(timesDownOf(viewer.stats().rails), 0U);
        ASSERT_EQ(sender.stats().viewers.size(), 1U);
        EXPECT_EQ(timesDownOf(sender.stats().viewers.front().rails), 0U);
        EXPECT_TRUE(sender.takeDepartures().empty());
    }
}

TEST(RailViewers, ARailThatComesWhileTheStreamEndsDoesNotHoldItUp) {
    FrameReceiver viewer(listeningViewer());
    const std::string address = viewer.listenAddresses().front();
    TcpForwarder later("tcp://127.0.0.1:0", address);
    later.hold();
    SenderOptions sending = patientSender(Policy::Lossless, address);
    sending.listen = false;
    sending.spares = {parseUrl(later.url())};
    Broadcast sender(sending);
    TestSource source(tightFormat(160, 120, PixelFormat::rgba), 8);
    constexpr std::uint64_t kFrames = 4;
    while (source.next < kFrames) {
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
    }
    ASSERT_TRUE(eventually([&] { return later.callers() > 0; }));
    EXPECT_EQ(sender.finish("done", 0s, Event()), Status::TimedOut) << "nobody has taken the frames";
    later.release();
    ASSERT_TRUE(eventually([&] { return railsUpOf(viewer.stats().rails) == 2; }));
    ReceivedFrame frame;
    for (std::uint64_t expected = 0; expected < kFrames; ++expected) {
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        EXPECT_EQ(frame.info.sequence, expected);
    }
    frame = {};
    EXPECT_EQ(viewer.receive(frame, kLimit), Status::Closed);
    EXPECT_TRUE(eventually([&] { return sender.receiverCount() == 0; }));
}

// Regression: a rail that came back a moment too late made a loss an orderly end.
TEST(RailViewers, HowTheStreamHasEndedStaysWhateverRailComesBack) {
    for (int trial = 0; trial < 4; ++trial) {
        Broadcast sender(patientSender(Policy::Latest, "tcp://127.0.0.1:0"));
        const std::string address = sender.listenAddresses().front();
        const TcpForwarder second("tcp://127.0.0.1:0", address);
        ReceiverOptions receiving = receiverOptions(address);
        receiving.spares = {parseUrl(second.url())};
        receiving.reconnect = false;
        FrameReceiver viewer(receiving);
        ASSERT_TRUE(eventually([&] { return railsUpOf(viewer.stats().rails) == 2; }));
        TestSource source(tightFormat(160, 120, PixelFormat::rgba), 8);
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        frame = {};
        Status status = Status::TimedOut;
        for (int cuts = 0; cuts < 50 && status == Status::TimedOut; ++cuts) {  // one may come back in time
            cut(connectedSockets("tcp"), Cut::Abrupt);
            status = viewer.receive(frame, 200ms);
        }
        ASSERT_EQ(status, Status::Closed);
        EXPECT_EQ(viewer.status().state, StreamState::Lost);
    }
}

TEST(RailViewers, ARailThatCannotBeTriedAtTheStartIsNoEnd) {
    const ReservedAddress address("tcp");
    const std::uint16_t port = parseUrl(address.url()).port;
    const std::string device = fmt::format("verbs://127.0.0.1:{}", port);
    const auto hasDevice = [&] {
        ReceiverOptions options = receiverOptions(device);
        options.spares = {parseUrl(fmt::format("verbs://127.0.0.2:{}", port))};
        FrameReceiver viewer(options);
        ReceivedFrame frame;
        try {
            return viewer.receive(frame, 2s) == Status::TimedOut;
        } catch (const Error& error) {
            return error.kind() != ErrorKind::Device;
        }
    };
    if (hasDevice()) {
        GTEST_SKIP() << "this host has an RDMA device, and every rail can be tried";
    }
    ReceiverOptions receiving = receiverOptions(device);
    receiving.spares = {parseUrl(address.url())};
    FrameReceiver viewer(receiving);
    ReceivedFrame frame;
    EXPECT_EQ(viewer.receive(frame, 500ms), Status::TimedOut) << "the other rail may still come up";
    Broadcast sender(patientSender(Policy::Lossless, address.url()));
    TestSource source(tightFormat(160, 120, PixelFormat::rgba), 8);
    ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
    EXPECT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    frame = {};
    // The other way round.
    FrameReceiver listening(listeningViewer());
    SenderOptions sending = patientSender(Policy::Lossless, device);
    sending.listen = false;
    sending.spares = {parseUrl(listening.listenAddresses().front())};
    Broadcast connecting(sending);
    ASSERT_EQ(connecting.waitForReceiver(kLimit, source.never), Status::Ok);
}

TEST(RailViewers, WhereThereIsMemoryForOneRailTheStreamGoesOnByThatOne) {
    Broadcast sender(patientSender(Policy::Lossless, "tcp://127.0.0.1:0"));
    const std::string address = sender.listenAddresses().front();
    const TcpForwarder other("tcp://127.0.0.1:0", address);
    const VideoFormat format = tightFormat(640, 480, PixelFormat::rgba);
    ReceiverOptions receiving = receiverOptions(address);
    receiving.spares = {parseUrl(other.url())};
    receiving.maxMemory = slotBytesFor(format.payloadBytes) * receiving.slots * 3 / 2;
    FrameReceiver viewer(receiving);
    ASSERT_TRUE(eventually([&] { return railsUpOf(viewer.stats().rails) == 2; }));
    TestSource source(format, 8);
    ReceivedFrame frame;
    for (std::uint64_t expected = 0; expected < 40; ++expected) {
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok) << expected;
        EXPECT_EQ(frame.info.sequence, expected);
    }
    EXPECT_TRUE(eventually([&] { return timesDownOf(viewer.stats().rails) > 0; })) << "both took memory";
    // It is tried again, but seldom: before, ten times in its first second.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    EXPECT_LE(timesDownOf(viewer.stats().rails), 3U);
    EXPECT_EQ(viewer.stats().framesLost, 0U);
}

/// Sessions of a viewer that would take part in synchronised display.
class SessionsOfRails final : public FrameLockListener {
  public:
    std::uint64_t onSession(SyncMode mode, std::shared_ptr<Outbox> outbox) override {
        EXPECT_EQ(mode, SyncMode::Off);
        EXPECT_EQ(outbox, nullptr);
        return ++sessions;
    }
    void onOrder(const PresentFrame& /*order*/) override { ADD_FAILURE(); }
    void onSessionEnd(const std::shared_ptr<Outbox>& /*outbox*/) override {}
    void onNews(const FrameLockNews& /*news*/, const ClockState& /*clock*/) override { ADD_FAILURE(); }
    std::optional<TimestampNs> passesAt() const override { return std::nullopt; }
    bool passOver(TimestampNs /*now*/) override { return false; }
    std::atomic<std::uint64_t> sessions{0};
};

TEST(RailViewers, OneThatCouldShowWithOthersDoesNotJoinThem) {
    SessionsOfRails frameLock;
    ReceiverOptions receiving = listeningViewer();
    receiving.frameLock = &frameLock;
    FrameReceiver viewer(receiving);
    const std::string address = viewer.listenAddresses().front();
    const TcpForwarder other("tcp://127.0.0.1:0", address);
    SenderOptions sending = patientSender(Policy::Lossless, address);
    sending.listen = false;
    sending.sync = SyncMode::Go;
    sending.spares = {parseUrl(other.url())};
    Broadcast sender(sending);
    ASSERT_TRUE(eventually([&] { return railsUpOf(viewer.stats().rails) == 2; }));
    TestSource source(tightFormat(160, 120, PixelFormat::rgba), 8);
    ReceivedFrame frame;
    for (std::uint64_t expected = 0; expected < 20; ++expected) {
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        EXPECT_EQ(frame.info.sequence, expected);
        EXPECT_EQ(frame.session, 1U) << "one for both rails";
    }
    ASSERT_TRUE(sender.stats().frameLock);
    EXPECT_EQ(sender.stats().frameLock->displays, 0U);
    EXPECT_EQ(frameLock.sessions, 1U);
    EXPECT_EQ(timesDownOf(viewer.stats().rails), 0U);
}

TEST(RailViewers, WhatALiveStreamLosesWithItsLastRailIsCounted) {
    RailHello rail{.stream = newRailStream(), .index = 0, .count = 2, .mode = RailMode::Double};
    std::array<PeerConnection, 2> rails;
    for (PeerConnection& each : rails) {
        each.connection.messages = MemoryChannel::pair().first;
        each.hello = Hello{}.asRail(rail);
        ++rail.index;
    }
    SenderShared shared(8, {});
    RailViewer viewer(shared, 1, false, std::make_shared<ViewerAccount>(), rails[0].hello);
    viewer.linkBegins(rails[0]);
    viewer.linkBegins(rails[1]);
    RailQueue& queue = viewer.queue(0, viewer.roomFor(TrackKind::Video));
    const auto pool = FramePool::create({.slotBytes = 64, .slotCount = 8});
    for (std::uint64_t sequence = 0; sequence < 3; ++sequence) {
        QueuedFrame frame;
        frame.lease = *pool->tryAcquire();
        frame.info.sequence = sequence;
        ASSERT_EQ(queue.push(std::move(frame)), 0U);
        ASSERT_TRUE(queue.take(0, false, 1, [](const RailQueue::Taken&) {}));
    }
    viewer.linkEnded(rails[0].hello, true);
    EXPECT_EQ(shared.frames[0].dropped, 0U) << "the other rail has them";
    viewer.linkEnded(rails[1].hello, true);
    EXPECT_EQ(shared.frames[0].dropped, 3U);
    EXPECT_EQ(pool->slots().freeCount(), 8U);
}

TEST(RailViewers, InputGoesByOneRailAndWhatIsHeldIsUpWhenThatDies) {
    using Turn = InputTurns::Turn;
    InputTurns turns;
    for (int rail = 0; rail < 3; ++rail) {
        turns.join();
    }
    EXPECT_EQ(turns.take(1, 5), Turn::Take);
    EXPECT_EQ(turns.take(1, 6), Turn::Take);
    EXPECT_FALSE(turns.leave(0)) << "another one holds the keys";
    EXPECT_EQ(turns.take(2, 8), Turn::TakeAnew) << "what came by the other may be missing";
    EXPECT_EQ(turns.take(1, 7), Turn::Leave);
    EXPECT_FALSE(turns.leave(1));
    turns.join();
    EXPECT_TRUE(turns.leave(2));
    EXPECT_TRUE(turns.leave(1)) << "the last one";
}

TEST(RailViewers, AKeyThatIsHeldWhileAnotherRailComesIsReleasedByTheSameViewer) {
    SenderOptions sending = patientSender(Policy::Lossless, "tcp://127.0.0.1:0");
    sending.allowInput = true;
    Broadcast sender(sending);
    const std::string address = sender.listenAddresses().front();
    const ReservedAddress later("tcp");
    ReceiverOptions receiving = receiverOptions(later.url());  // the first rail connects last
    receiving.spares = {parseUrl(address)};
    FrameReceiver viewer(receiving);
    ASSERT_TRUE(eventually([&] { return viewer.inputAllowed(); }));
    InputEvent key{.kind = InputKind::Key, .pressed = true, .code = 0xffe1};
    ASSERT_NE(viewer.sendInput(key), 0U);
    std::vector<ViewerInput> got;
    const auto heard = [&](std::size_t count) {
        return eventually([&] {
            sender.takeInput(got);
            return got.size() >= count;
        });
    };
    ASSERT_TRUE(heard(1));
    const TcpForwarder forwarder(later.url(), address);
    ASSERT_TRUE(eventually([&] { return railsUpOf(viewer.stats().rails) == 2; }));
    key.pressed = false;
    ASSERT_NE(viewer.sendInput(key), 0U);
    ASSERT_TRUE(heard(2));
    EXPECT_EQ(got[0].viewer, got[1].viewer);
    EXPECT_EQ(got[1].event, key);
    cut(connectedSockets("tcp"), Cut::Abrupt);
    ASSERT_TRUE(heard(3));
    EXPECT_EQ(got[2].event.kind, InputKind::ReleaseAll);
    EXPECT_EQ(got[2].viewer, got[0].viewer);
}

}  // namespace
}  // namespace verbcast::testing
