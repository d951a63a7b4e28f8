// Peers that violate the rules of synchronised presentation.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/session/messages/frame_lock.h"
#include "core/sync/frame_lock_stream.h"
#include "tests/core/session/core_support.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

TEST(TogetherMessages, RandomBytesNeverDoMoreThanThrow) {
    std::mt19937 random(11);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> bytes(random() % 160);
        std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
        tryReading<FrameReady>(bytes);
        tryReading<PresentFrame>(bytes);
        tryReading<FramePresented>(bytes);
        tryReading<FrameLockNews>(bytes);
    }
}

/// Peers that violate the rules: each one ends only its own session and learns the reason.
class TogetherHostile : public TransportSuite {
  protected:
    void begin(SyncMode mode) {
        SenderOptions options = senderOptions(GetParam(), Policy::Latest);
        options.sync = mode;
        sender_ = std::make_unique<Broadcast>(options);
    }
    static void greet(RawPeer& peer, Role role, std::uint64_t features) {
        Hello hello;
        hello.role = role;
        hello.slots = 8;
        hello.features = features;
        peer.say(hello);
    }
    std::string refusalOf(std::uint64_t features, auto&& message) {
        RawPeer peer(*sender_);
        greet(peer, Role::Receiver, features);
        peer.say(message);
        return peer.awaitRefusal();
    }
    std::unique_ptr<Broadcast> sender_;
};

TEST_P(TogetherHostile, ReadyForAFrameThatWasNeverSent) {
    begin(SyncMode::Hold);
    EXPECT_TRUE(contains(refusalOf(kFrameLock, FrameReady{12}), "frame 12, which it was not sent"));
}

TEST_P(TogetherHostile, ShownWithoutHavingBeenReady) {
    begin(SyncMode::Go);
    FramePresented shown;
    shown.sequence = 3;
    EXPECT_TRUE(contains(refusalOf(kFrameLock, shown), "frame 3, which it was not ready for"));
}

TEST_P(TogetherHostile, AViewerThatDidNotJoin) {
    begin(SyncMode::Hold);
    EXPECT_TRUE(contains(refusalOf(0, FrameReady{0}), "not agreed on"));
}

TEST_P(TogetherHostile, ASenderThatDidNotAsk) {
    begin(SyncMode::Off);
    EXPECT_TRUE(contains(refusalOf(kFrameLock, FrameReady{0}), "not agreed on"));
}

TEST_P(TogetherHostile, AnUnknownWayOfTelling) {
    begin(SyncMode::Hold);
    FramePresented shown;
    shown.by = static_cast<ShownBy>(9);
    EXPECT_TRUE(contains(refusalOf(kFrameLock, shown), "unknown way"));
}

TEST_P(TogetherHostile, SendersThatTellWhatCannotBe) {
    const auto refusal = [&](std::uint64_t features, auto&&... messages) {
        FrameLockStream frameLock(8);
        ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
        options.listen = true;
        options.frameLock = &frameLock;
        FrameReceiver viewer(options);
        RawPeer peer(viewer);
        greet(peer, Role::Sender, features);
        (peer.say(messages), ...);
        return peer.awaitRefusal();
    };
    const std::uint64_t holds = kFrameLock | kFrameLockHolds;
    EXPECT_TRUE(contains(refusal(0, PresentFrame{.sequence = 1, .due = 0}), "not agreed on"));
    EXPECT_TRUE(
        contains(refusal(holds, PresentFrame{.sequence = 5, .due = 0}, PresentFrame{.sequence = 4, .due = 0}),
                 "frame 4 after frame 5"));
    FrameLockNews news;
    news.all.skew.p99 = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(contains(refusal(holds, news), "not a number"));
}

/// A handmade sender gives this time for a drawn frame: it is shown soon, or the sender is refused.
class FrameLockTimes : public TransportSuite {
  protected:
    void give(TimestampNs due, const HostId& host, bool refused = false) {
        FrameLockStream frameLock(8);
        ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
        options.listen = true;
        options.frameLock = &frameLock;
        FrameReceiver viewer(options);
        RawPeer peer(viewer);
        Hello hello;
        hello.role = Role::Sender;
        hello.slots = 8;
        hello.features = kFrameLock | kFrameLockHolds;
        hello.host = host;
        peer.say(hello);
        const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
        const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 4});
        peer.announce(0, 1, TrackFormat::ofVideo(format), pool);
        ASSERT_TRUE(peer.accepted(1));
        FrameInfo info;
        info.epoch = 1;
        info.payloadBytes = format.payloadBytes;
        ASSERT_EQ(peer.sendFrame(std::move(*pool->tryAcquire()), info), Status::Ok);
        ReceivedFrame frame;
        ASSERT_TRUE(peer.serveUntil([&] { return frame.lease || viewer.receive(frame, 0ns) == Status::Ok; }));
        frameLock.put(std::move(frame));
        ASSERT_TRUE(frameLock.next());
        frameLock.drawn();
        EXPECT_FALSE(frameLock.dueSoon());
        peer.say(PresentFrame{.sequence = 0, .due = due});
        if (refused) {
            refusal_ = peer.awaitRefusal();
            return;
        }
        EXPECT_TRUE(peer.serveUntil([&] { return frameLock.dueSoon() || peer.closed; }));
        EXPECT_FALSE(peer.closed) << peer.refusal;
        const TimestampNs now = nowNs();
        EXPECT_GE(*frameLock.due(), now - 2 * kMaxPresentAhead);
        EXPECT_LE(*frameLock.due(), now + FrameLockStream::kEarly);
        frameLock.shown(now, ShownBy::Timer);
    }
    std::string refusal_;
};

TEST_P(FrameLockTimes, OfASenderWhoseClockIsNotKnownAreNow) {
    for (const TimestampNs due :
         {std::numeric_limits<TimestampNs>::max(), std::numeric_limits<TimestampNs>::min(), TimestampNs{1}}) {
        give(due, HostId{});
    }
}

TEST_P(FrameLockTimes, LongAgoAreAtOnce) {
    for (const TimestampNs due : {std::numeric_limits<TimestampNs>::min(), TimestampNs{-1}, TimestampNs{1}}) {
        give(due, hostId());
    }
}

TEST_P(FrameLockTimes, FarAheadAreRefused) {
    give(std::numeric_limits<TimestampNs>::max(), hostId(), true);
    EXPECT_TRUE(contains(refusal_, "at an impossible time"));
}

VERBCAST_OVER_TRANSPORTS(FrameLockTimes, transportsUnderTest());
VERBCAST_OVER_TRANSPORTS(TogetherHostile, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
