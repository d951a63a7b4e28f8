// One sender with viewers over several transports at once, most of which take nothing.
#include <gtest/gtest.h>

#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kSlots = 8;

TEST(MixedViewers, ThatHoldTheirFramesOverOneTransportCostThoseOverAnotherNothing) {
    SenderOptions options = senderOptions({"auto", "127.0.0.1:0"}, Policy::Latest);
    options.maxReceivers = 32;
    options.slots = kSlots;
    options.peerTimeout = 10min;
    Broadcast sender(options);
    const auto addressOver = [&](const std::string& scheme) {
        const auto addresses = sender.listenAddresses();
        const auto found = std::ranges::find_if(
            addresses, [&](const std::string& address) { return address.starts_with(scheme + "://"); });
        EXPECT_NE(found, addresses.end()) << "it does not listen over " << scheme;
        return found != addresses.end() ? *found : addresses.front();
    };
    std::vector<std::unique_ptr<FrameReceiver>> holding, fast;
    for (const char* scheme : {"shm", "tcp"}) {
        for (int i = 0; i < 8; ++i) {
            holding.push_back(std::make_unique<FrameReceiver>(receiverOptions(addressOver(scheme))));
        }
        for (int i = 0; i < 2; ++i) {
            fast.push_back(std::make_unique<FrameReceiver>(receiverOptions(addressOver(scheme))));
        }
    }
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 20; }));
    // The sender's slots: with any number of viewers, one is free for the next frame.
    TestSource source(tightFormat(640, 480, PixelFormat::rgba), kSlots);
    while (source.next < 200) {
        const std::uint64_t sequence = source.next;
        ASSERT_EQ(source.send(sender), Status::Ok) << "the source has no slot for frame " << sequence;
        for (const auto& viewer : fast) {
            ReceivedFrame frame;
            ASSERT_EQ(viewer->receive(frame, kLimit), Status::Ok) << sequence;
            ASSERT_EQ(frame.info.sequence, sequence);
            ASSERT_TRUE(isWhole(frame));
        }
    }
    for (const auto& viewer : fast) {
        EXPECT_EQ(viewer->stats().framesDropped, 0U);
    }
    // On a busy machine some stalled viewers start late and hold other frames, for which there is no room.
    for (const std::string& departure : sender.takeDepartures()) {
        EXPECT_TRUE(contains(departure, "--slots"));
    }
}

}  // namespace
}  // namespace verbcast::testing
