// A sender that stops within a frame, has its ring replaced, and then sends the rest: none of it may be
// written to the old ring's memory. This needs no key, so any stranger can try it.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/core/session/core_support.h"
#include "tests/support/raw_tcp_peer.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kSizes[] = {256, 1024,
                                    2048};  // of the formats: each needs a larger ring than the one before

/// Sends half a frame, two larger formats, then the rest of the frame.
void attack(RawTcpPeer& peer) {
    peer.greet(Role::Sender);
    const VideoFormat first = tightFormat(kSizes[0], kSizes[0], PixelFormat::rgba);
    peer.say(FormatMessage{0, 1, Policy::Latest, 0, TrackFormat::ofVideo(first)});
    ASSERT_TRUE(peer.hearUntil([&] { return !peer.credits.empty(); }));
    FrameInfo info;
    info.epoch = 1;
    info.payloadBytes = first.payloadBytes;
    peer.beginFrame(peer.ring, peer.credits.front(), info, info.payloadBytes / 2);
    ASSERT_TRUE(eventually([&] { return peer.framesWereRead(); })) << "the next format would overtake it";
    for (std::uint32_t epoch : {2U, 3U}) {
        const std::uint32_t size = kSizes[epoch - 1];
        peer.say(FormatMessage{0, epoch, Policy::Latest, 0,
                               TrackFormat::ofVideo(tightFormat(size, size, PixelFormat::rgba))});
        const std::uint32_t rings = peer.ringsOffered;
        peer.hearUntil([&] { return peer.ringsOffered > rings; });
    }
    for (std::uint64_t left = info.payloadBytes / 2; left > 0; left -= 4096) {
        if (!peer.sendPayload(4096)) {
            break;
        }
    }
}

ReceiverOptions listening() {
    ReceiverOptions options;
    options.url = parseUrl("tcp://127.0.0.1:0");
    options.listen = true;
    options.peerTimeout = kLimit;  // peers made by hand answer no pings
    return options;
}

TEST(HalfFrame, AFormatInTheMiddleOfAFrameIsRefused) {
    FrameReceiver receiver(listening());
    RawTcpPeer peer(parseUrl(receiver.listenAddresses().front()));
    ASSERT_NO_FATAL_FAILURE(attack(peer));
    EXPECT_TRUE(contains(peer.refusal(), "in the middle of a frame"));
    ReceivedFrame frame;
    EXPECT_EQ(receiver.receive(frame, 100ms), Status::TimedOut) << "nothing of it arrived";
    // The next sender is served as usual.
    RawTcpPeer next(parseUrl(receiver.listenAddresses().front()));
    next.greet(Role::Sender);
    next.say(
        FormatMessage{0, 1, Policy::Latest, 0, TrackFormat::ofVideo(tightFormat(64, 64, PixelFormat::rgba))});
    EXPECT_TRUE(next.hearUntil([&] { return !next.credits.empty(); }));
}

TEST(HalfFrame, ARelayOutlivesIt) {
    SenderOptions onward;
    onward.url = parseUrl(listenAddressFor("shm"));
    onward.peerTimeout = kLimit;
    Broadcast sender(onward);
    FrameReceiver receiver(listening());
    std::jthread relaying([&](const std::stop_token& stop) {
        ReceivedFrame frame;
        while (!stop.stop_requested()) {
            if (receiver.receive(frame, 10ms) == Status::Ok) {
                EXPECT_EQ(sender.submit(std::move(frame.lease), *frame.format, frame.info, Event()),
                          Status::Ok);
            }
        }
    });
    RawTcpPeer peer(parseUrl(receiver.listenAddresses().front()));
    ASSERT_NO_FATAL_FAILURE(attack(peer));
    EXPECT_TRUE(contains(peer.refusal(), "in the middle of a frame"));
}

}  // namespace
}  // namespace verbcast::testing
