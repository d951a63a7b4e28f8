#include "capture/media/decode/slot_allocator.h"

#include <set>

#include "capture/media/decode/picture_decoder.h"
#include "capture/media/decode/picture_delivery.h"
#include "tests/capture/ffmpeg_reference.h"

namespace verbcast::testing {
namespace {

class SlotAllocatorTest : public FfmpegTest {};

/// Decodes a file with a given number of slots for the decoder; returns the checksums of all frames.
std::vector<FrameSum> decode(const std::string& path, std::uint32_t consumerSlots, std::uint32_t decoderSlots,
                             SourceCounters& counters, std::uint32_t& poolSlots) {
    const SourceOptions options{.source = path, .decoderThreads = 3};
    SlotAllocator allocator(consumerSlots);
    MediaInput input(path);
    PictureDecoder decoder(input, {.threads = 3}, allocator, {});
    allocator.setDecoderSlots(decoderSlots);
    PictureDelivery delivery(options, allocator);
    const FramePtr picture = newFrame();
    const Event never;
    std::vector<FrameSum> sums;
    while (allocator.waitForConsumers(never) == Status::Ok &&
           decoder.next(input, *picture, counters) == Status::Ok) {
        CapturedFrame frame;
        EXPECT_EQ(
            delivery.deliver(*picture, {.frameRate = {25, 1}, .timeBase = {1, 25}, .pixelAspect = {1, 1}},
                             never, frame, counters),
            Status::Ok);
        av_frame_unref(picture.get());
        poolSlots = frame.lease.pool()->slotCount();
        frame.pts = static_cast<std::int64_t>(sums.size());
        sums.push_back(sumOf(frame));
    }
    return sums;
}

TEST_F(SlotAllocatorTest, DryPoolFallsBackToCopies) {
    const std::string path = file("clip.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 40 -c:v libx264 -pix_fmt yuv420p -bf 3 -refs 8 " +
           path);
    const auto reference = ffmpegFrameSums("-i " + path);
    for (const std::uint32_t decoderSlots : {0U, 1U, 3U, 6U}) {
        SCOPED_TRACE(decoderSlots);
        SourceCounters counters;
        std::uint32_t poolSlots = 0;
        EXPECT_EQ(decode(path, 1, decoderSlots, counters, poolSlots), reference);
        EXPECT_GT(counters.pixelCopies, 0U);
        EXPECT_EQ(poolSlots, 1 + 1 + decoderSlots);
    }
}

TEST_F(SlotAllocatorTest, EnoughSlotsNeedNoCopy) {
    const std::string path = file("clip.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 40 -c:v libx264 -pix_fmt yuv420p -bf 3 -refs 8 " +
           path);
    SourceCounters counters;
    std::uint32_t poolSlots = 0;
    EXPECT_EQ(decode(path, 2, 24, counters, poolSlots), ffmpegFrameSums("-i " + path));
    EXPECT_EQ(counters.pixelCopies, 0U);
}

// H.264's worst case: sixteen references, with many threads in addition.
TEST_F(SlotAllocatorTest, ManyReferencesFitTheSourcesPool) {
    const std::string path = file("clip.mp4");
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 60 -c:v libx264 -preset veryfast -pix_fmt yuv420p -bf "
        "4 "
        "-refs 16 -b-pyramid normal " +
        path);
    const auto source = openSource({.source = path, .slots = 2, .decoderThreads = 8});
    EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-i " + path));
    EXPECT_EQ(source->counters().pixelCopies, 0U);
}

// Regression: a decoder that repeats a picture gave out its slot twice, which no viewer could take.
TEST_F(SlotAllocatorTest, ARepeatedPictureIsInASlotOfItsOwn) {
    const std::string path = file("still.mov");
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=0.04,loop=7:1 -frames:v 8 -c:v qtrle -pix_fmt rgb24 " +
           path);
    const auto source = openSource({.source = path, .slots = 8});
    const Event never;
    std::vector<CapturedFrame> held(8);
    std::vector<FrameSum> sums;
    std::set<std::uint32_t> slots;
    for (CapturedFrame& frame : held) {
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
        ASSERT_EQ(frame.lease.pool(), held.front().lease.pool());
        slots.insert(frame.lease.slot());
        sums.push_back(sumOf(frame));
    }
    EXPECT_EQ(slots.size(), held.size());
    EXPECT_EQ(sums, ffmpegFrameSums("-i " + path));
    EXPECT_EQ(source->counters().pixelCopies, 7U) << "else the decoder repeats nothing";
}

}  // namespace
}  // namespace verbcast::testing
