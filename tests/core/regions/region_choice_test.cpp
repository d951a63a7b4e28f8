// Which part of a picture a viewer gets when it asks for one, and where that part is stored.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/flow/region_blocks.h"
#include "tests/core/session/core_support.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

RegionWish wishFor(const FrameRect& rect) {
    return [rect](const VideoFormat&) { return std::optional(rect); };
}

TEST(PictureRegion, OfASenderThatDoesNotCutIsTakenFromTheWholePicture) {
    const TransportUnderTest tcp{"tcp", "tcp://127.0.0.1:0"};
    ReceiverOptions options = receiverOptions(listenAddressFor(tcp));
    options.listen = true;
    options.region = wishFor({20, 10, 30, 40});
    FrameReceiver receiver(options);
    RawPeer peer(receiver);
    peer.greet(Role::Sender);  // offers no features
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 4});
    peer.announce(0, 1, TrackFormat::ofVideo(format), pool);
    ASSERT_TRUE(peer.accepted(1));
    auto lease = *pool->tryAcquire();
    std::memset(lease.data(), 9, format.payloadBytes);
    FrameInfo info;
    info.epoch = 1;
    info.payloadBytes = format.payloadBytes;
    ASSERT_EQ(peer.sendFrame(std::move(lease), info), Status::Ok);
    ASSERT_TRUE(peer.serveUntil([&] { return receiver.stats().framesTransferred > 0; }));
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, kLimit), Status::Ok);
    EXPECT_EQ(frame.format->width, 30U);
    EXPECT_EQ(frame.format->planes[0].stride, 64U * 4);
    EXPECT_EQ(frame.format->planes[0].offset, (10U * 64 + 20) * 4);
}

TEST(PictureRegion, InPlaceNeverReachesOutOfThePayload) {
    std::mt19937 random(3);
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (int i = 0; i < 300; ++i) {
            VideoFormat format = tightFormat(16 + random() % 300, 16 + random() % 60, info.format);
            layOutPlanes(format, 1U << random() % 9, 64);
            FrameRect rect;
            rect.x = static_cast<std::uint16_t>(random() % format.width);
            rect.y = static_cast<std::uint16_t>(random() % format.height);
            rect.width = static_cast<std::uint16_t>(1 + random() % (format.width - rect.x));
            rect.height = static_cast<std::uint16_t>(1 + random() % (format.height - rect.y));
            const FrameRect held = alignedRegion(format, rect);
            EXPECT_EQ(regionProblem(format, held), std::nullopt);
            EXPECT_EQ(alignedRegion(format, held), held);
            EXPECT_LE(held.x, rect.x);
            EXPECT_GE(held.x + held.width, rect.x + rect.width);
            EXPECT_LE(regionInPlace(format, held).payloadBytes, format.payloadBytes) << info.name;
            EXPECT_LE(regionFormat(format, held).payloadBytes, format.payloadBytes) << info.name;
        }
    }
}

// v210 pads rows to 128 bytes, and checksums and raw files include the padding.
TEST(PictureRegion, AtTheEdgeOfAPictureWithPaddedRowsHasThePadding) {
    const VideoFormat picture = tightFormat(1280, 64, PixelFormat::v210);
    const FrameRect edge{1248, 16, 32, 40};
    ASSERT_EQ(regionProblem(picture, edge), std::nullopt);
    const VideoFormat part = regionFormat(picture, edge);
    const RegionBlocks blocks(picture, edge, part, PictureChanges::all());
    ASSERT_EQ(blocks.into().size(), 1U);
    EXPECT_EQ(blocks.into()[0].rowBytes * blocks.into()[0].rows, part.payloadBytes);
    const ByteBlock& from = blocks.from()[0];
    EXPECT_EQ(from.rowBytes, 128U);
    EXPECT_EQ(from.offset + (from.rows - 1) * from.stride + from.rowBytes, 56U * picture.planes[0].stride)
        << "the end of the last row, and no further";
}

TEST(PictureRegion, OfAWishThatLeavesThePictureIsNone) {
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    for (const FrameRect& wrong :
         {FrameRect{60, 0, 5, 10}, FrameRect{0, 0, 0, 4}, FrameRect{0xffff, 0, 1, 1}}) {
        const PictureRegion region = chooseRegion(format, wishFor(wrong));
        EXPECT_TRUE(region.isNone());
        EXPECT_EQ(region.held, (FrameRect{0, 0, 16, 16}));
    }
}

}  // namespace
}  // namespace verbcast::testing
