// How much memory a sender can make a viewer allocate, and when it is freed.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/memory/available_memory.h"
#include "core/stream/receive/ring_memory.h"
#include "tests/core/session/core_support.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;

/// Bytes of frame rings that this process has mapped.
std::uint64_t mappedRings() {
    std::uint64_t bytes = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("memfd:verbcast-frames") != std::string::npos) {
            const auto dash = line.find('-');
            bytes += std::stoull(line.substr(dash + 1), nullptr, 16) - std::stoull(line, nullptr, 16);
        }
    }
    return bytes;
}

TrackFormat pictures(std::uint32_t width, std::uint32_t height) {
    return TrackFormat::ofVideo(tightFormat(width, height, PixelFormat::rgba));
}

/// For transports where the ring is the receiver's.
class MemoryLimit : public ::testing::Test {
  protected:
    static ReceiverOptions listening(std::optional<std::uint64_t> maxMemory) {
        ReceiverOptions options;
        options.url = parseUrl("tcp://127.0.0.1:0");
        options.listen = true;
        options.maxMemory = maxMemory;
        options.peerTimeout = kLimit;
        return options;
    }
    static void announce(RawPeer& peer, std::uint32_t epoch, const TrackFormat& format, TrackId track = 0) {
        FormatMessage message;
        message.track = track;
        message.epoch = epoch;
        message.format = format;
        peer.say(message);
    }
    static bool given(RawPeer& peer, std::size_t rings) {
        return peer.serveUntil([&] { return peer.rings.size() == rings; });
    }
};

TEST_F(MemoryLimit, AnAnnouncementBeyondItIsRefusedInWords) {
    FrameReceiver viewer(listening(64 * kMiB));
    RawPeer hostile(viewer);
    hostile.greet(Role::Sender);
    ASSERT_TRUE(hostile.greeted());
    announce(hostile, 1, pictures(16384, 16384));
    EXPECT_EQ(hostile.awaitRefusal(),
              "8 frames of 1.0 GiB need 8.0 GiB of memory, but the viewer allows 64.0 MiB (--max-memory)");
    EXPECT_EQ(hostile.refuseCode, RefuseCode::Resources);
    EXPECT_EQ(mappedRings(), 0U);
    // The viewer still works for the next sender.
    EXPECT_TRUE(eventually([&] { return viewer.status().state == StreamState::Lost; }));
    RawPeer good(viewer);
    good.greet(Role::Sender);
    ASSERT_TRUE(good.greeted());
    announce(good, 1, pictures(640, 360));
    EXPECT_TRUE(given(good, 1));
}

TEST_F(MemoryLimit, IsHalfOfWhatIsFreeUnlessItIsGiven) {
    const auto available = availableMemory();
    ASSERT_TRUE(available);
    if (*available >= 100ULL << 30) {
        GTEST_SKIP() << "this machine has memory for any announcement";
    }
    ReceiverOptions options = listening({});
    options.slots = 64;
    FrameReceiver viewer(options);
    RawPeer hostile(viewer);
    hostile.greet(Role::Sender);
    ASSERT_TRUE(hostile.greeted());
    announce(hostile, 1, pictures(16384, 16384));
    EXPECT_TRUE(hostile.awaitRefusal().starts_with(
        "64 frames of 1.0 GiB need 64.0 GiB of memory, but the viewer allows"))
        << hostile.refusal;
    EXPECT_TRUE(hostile.refusal.ends_with("(half of what is free; see --max-memory)")) << hostile.refusal;
    EXPECT_EQ(mappedRings(), 0U);
}

TEST_F(MemoryLimit, CountsAllTracks) {
    ReceiverOptions options = listening(100 * kMiB);
    options.further.resize(1);
    FrameReceiver viewer(options);
    RawPeer sender(viewer);
    sender.greet(Role::Sender);
    ASSERT_TRUE(sender.greeted());
    announce(sender, 1, TrackFormat::ofBytes(8 * kMiB), 0);
    ASSERT_TRUE(given(sender, 1)) << sender.refusal;
    announce(sender, 1, TrackFormat::ofBytes(8 * kMiB), 1);
    EXPECT_EQ(sender.awaitRefusal(),
              "8 frames of 8.0 MiB need 128.0 MiB of memory, but the viewer allows 100.0 MiB (--max-memory)");
}

/// A track of a stream is 8 slots of 4 MiB and, encrypted, as much again; a track that follows finds it
/// taken.
TEST(RingMemoryTest, CountsWhatPathsNeedForTheRingsOfAllTracks) {
    RingMemory memory(100 * kMiB);
    const auto first = memory.make(0, 4 * kMiB, 8, 32 * kMiB);
    EXPECT_THROW(memory.make(1, 4 * kMiB, 8, 32 * kMiB), Error);
    EXPECT_THROW(memory.allow(1, 4 * kMiB, 8, 32 * kMiB), Error);
    const auto second = memory.make(1, kMiB, 8, 8 * kMiB);
    EXPECT_NO_THROW(memory.allow(1, 2 * kMiB, 8, 16 * kMiB)) << "instead of that";
}

TEST(RingMemoryTest, CountsRingsThatAreBeingReplaced) {
    RingMemory memory(100 * kMiB);
    const auto first = memory.make(0, 5 * kMiB, 8, 40 * kMiB);
    auto second = memory.make(0, 5 * kMiB, 8, 40 * kMiB);
    EXPECT_THROW(memory.make(0, 5 * kMiB, 8, 40 * kMiB), Error) << "as much again as is allowed, and no more";
    second.reset();
    const auto third = memory.make(0, 5 * kMiB, 8, 40 * kMiB);
    memory.giveBack(0);
    EXPECT_THROW(memory.make(1, 12 * kMiB, 8), Error) << "still held by somebody";
}

TEST_F(MemoryLimit, ASharedRingIsBoundedWhereALimitIsGiven) {
    ReceiverOptions options = listening(10 * kMiB);
    options.url = parseUrl("shm://memory-limit-" + std::to_string(::getpid()));
    FrameReceiver viewer(options);
    RawPeer sender(viewer);
    sender.greet(Role::Sender);
    ASSERT_TRUE(sender.greeted());
    sender.announce(0, 1, pictures(640, 360), FramePool::create({.slotBytes = 2 * kMiB, .slotCount = 8}));
    EXPECT_EQ(sender.awaitRefusal(),
              "8 frames of 2.0 MiB need 16.0 MiB of memory, but the viewer allows 10.0 MiB (--max-memory)");
}

TEST_F(MemoryLimit, AConnectingViewerEndsWithIt) {
    SenderOptions sending;
    sending.url = parseUrl("tcp://127.0.0.1:0");
    sending.policy = Policy::Lossless;
    Broadcast sender(sending);
    ReceiverOptions options = receiverOptions(sender);
    options.maxMemory = kMiB;
    FrameReceiver viewer(options);
    TestSource source(tightFormat(640, 360, PixelFormat::rgba));
    ASSERT_EQ(sender.waitForReceiver(kLimit, source.never), Status::Ok);
    static_cast<void>(source.send(sender));
    ReceivedFrame frame;
    const Error error = thrownBy([&] {
        while (viewer.receive(frame, kLimit) == Status::Ok) {
        }
    });
    EXPECT_EQ(error.kind(), ErrorKind::Resource) << error.what();
    EXPECT_TRUE(contains(error.remedy(), "--max-memory"));
    EXPECT_TRUE(eventually([&] {
        return sender.lastEnd().reason.find("the viewer allows 1.0 MiB") != std::string::npos;
    })) << sender.lastEnd().reason;
}

TEST_F(MemoryLimit, ARingIsGivenBackWhenItsSenderLeaves) {
    FrameReceiver viewer(listening({}));
    for (const bool orderly : {true, false}) {
        SCOPED_TRACE(orderly);
        RawPeer stranger(viewer);
        stranger.greet(Role::Sender, 7);
        ASSERT_TRUE(stranger.greeted());
        announce(stranger, 1, pictures(4096, 2048));
        ASSERT_TRUE(given(stranger, 1));
        EXPECT_EQ(mappedRings(), 256 * kMiB);
        if (orderly) {
            stranger.say(Bye{"that was all"});
            EXPECT_TRUE(eventually([] { return mappedRings() == 0; })) << mappedRings();
        } else {
            stranger.say(Hello{});  // violates the protocol
            EXPECT_TRUE(eventually([] { return mappedRings() == 0; })) << mappedRings();
        }
    }
}

TEST_F(MemoryLimit, ALostSendersRingWaitsForItButNotForAnother) {
    FrameReceiver viewer(listening({}));
    const auto ringOf = [&](std::uint64_t instance, std::uint32_t width) {
        auto peer = std::make_unique<RawPeer>(viewer);
        peer->greet(Role::Sender, instance);
        EXPECT_TRUE(peer->greeted());
        announce(*peer, 1, pictures(width, 2048));
        EXPECT_TRUE(given(*peer, 1));
        return peer;
    };
    ringOf(7, 4096)->hangUp();
    EXPECT_TRUE(eventually([&] { return viewer.status().state == StreamState::Lost; }));
    EXPECT_EQ(mappedRings(), 256 * kMiB) << "it may come back";
    const auto back = ringOf(7, 4096);
    EXPECT_EQ(mappedRings(), 256 * kMiB);
    back->hangUp();
    EXPECT_TRUE(eventually([&] { return viewer.status().state == StreamState::Lost; }));
    const auto other = ringOf(8, 64);
    EXPECT_TRUE(eventually([] { return mappedRings() == 4 * kMiB; })) << mappedRings();
}

TEST_F(MemoryLimit, ALostSendersRingIsGivenBackAfterAWhile) {
    FrameReceiver viewer(listening({}));
    {
        RawPeer stranger(viewer);
        stranger.greet(Role::Sender, 7);
        ASSERT_TRUE(stranger.greeted());
        announce(stranger, 1, pictures(4096, 2048));
        ASSERT_TRUE(given(stranger, 1));
        stranger.hangUp();
    }
    EXPECT_TRUE(eventually([] { return mappedRings() == 0; })) << mappedRings();
}

}  // namespace
}  // namespace verbcast::testing
