// Decoding of cameras' compressed pictures: made by FFmpeg, intact and broken.
#include "capture/camera/camera_decoder.h"

#include <linux/videodev2.h>

#include <algorithm>
#include <random>

#include "capture/media/input/media_input.h"
#include "tests/capture/ffmpeg_reference.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kWidth = 320;
constexpr std::uint32_t kHeight = 240;
constexpr int kFrames = 5;

using Packet = std::vector<std::byte>;

CameraPicture modeOf(std::uint32_t fourCc) {
    return {.fourCc = fourCc, .width = kWidth, .height = kHeight, .imageBytes = kWidth * kHeight * 2};
}

std::vector<Packet> packetsOf(const std::string& path) {
    MediaInput input(path);
    const PacketPtr packet = newPacket();
    std::vector<Packet> packets;
    while (input.read(*packet) == 0) {
        const auto* data = reinterpret_cast<const std::byte*>(packet->data);
        packets.emplace_back(data, data + packet->size);
        av_packet_unref(packet.get());
    }
    return packets;
}

std::vector<std::string> md5sOf(const std::vector<FrameSum>& sums) {
    std::vector<std::string> list;
    for (const FrameSum& sum : sums) {
        list.push_back(sum.md5);
    }
    return list;
}

/// Where the picture's entropy-coded data begins.
std::size_t scanOf(const Packet& jpeg) {
    for (std::size_t i = 0; i + 1 < jpeg.size(); ++i) {
        if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte{0xDA}) {
            return i + 2 + (std::to_integer<std::size_t>(jpeg[i + 2]) << 8) +
                   std::to_integer<std::size_t>(jpeg[i + 3]);
        }
    }
    throw std::runtime_error("no scan in this picture");
}

/// As UVC cameras send them: without the standard Huffman tables.
Packet withoutHuffmanTables(const Packet& jpeg) {
    Packet stripped(jpeg.begin(), jpeg.begin() + 2);
    std::size_t i = 2;
    while (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] != std::byte{0xDA}) {
        const std::size_t bytes =
            2 + (std::to_integer<std::size_t>(jpeg[i + 2]) << 8) + std::to_integer<std::size_t>(jpeg[i + 3]);
        if (jpeg[i + 1] != std::byte{0xC4}) {
            stripped.insert(stripped.end(), jpeg.begin() + static_cast<std::ptrdiff_t>(i),
                            jpeg.begin() + static_cast<std::ptrdiff_t>(i + bytes));
        }
        i += bytes;
    }
    stripped.insert(stripped.end(), jpeg.begin() + static_cast<std::ptrdiff_t>(i), jpeg.end());
    return stripped;
}

class CameraDecoderTest : public FfmpegTest {
  protected:
    /// A clip of moving pictures; `encoding` are the encoder's options.
    std::string clip(const std::string& encoding, const std::string& size = "320x240",
                     const std::string& name = "clip.nut") const {
        ffmpeg("-f lavfi -i testsrc2=s=" + size + ":r=30 -frames:v " + std::to_string(kFrames) + " " +
               encoding + " " + file(name));
        return file(name);
    }

    Status decode(CameraDecoder& decoder, const Packet& packet) {
        frame_.lease.reset();
        return decoder.decode(packet, never_, frame_, counters_);
    }

    SlotAllocator allocator_{4};
    Event never_;
    CapturedFrame frame_;
    SourceCounters counters_;
};

TEST_F(CameraDecoderTest, PicturesAreDecodedIntoTheRing) {
    for (const auto& [encoded, sent] :
         {std::pair{"yuvj420p", PixelFormat::yuv420p}, std::pair{"yuvj422p", PixelFormat::yuv422p}}) {
        SCOPED_TRACE(encoded);
        const std::string path = clip(std::string("-c:v mjpeg -q:v 3 -pix_fmt ") + encoded);
        CameraDecoder decoder(modeOf(V4L2_PIX_FMT_MJPEG), Rational{30, 1}, 0, allocator_);
        std::vector<std::string> decoded;
        for (const Packet& packet : packetsOf(path)) {
            ASSERT_EQ(decode(decoder, packet), Status::Ok);
            EXPECT_EQ(frame_.format.pixelFormat, sent);
            EXPECT_EQ(frame_.format.frameRate, (Rational{30, 1}));
            EXPECT_EQ(frame_.format.timeBase, (Rational{1, 1'000'000}));
            EXPECT_TRUE(frame_.format.colour.fullRange);
            EXPECT_EQ(frame_.flags, 0U);
            decoded.push_back(sumOf(frame_).md5);
        }
        EXPECT_EQ(decoded, md5sOf(ffmpegFrameSums("-i " + path)));
        EXPECT_EQ(decoder.note(), std::nullopt);
    }
    EXPECT_EQ(counters_.pixelCopies, 0U);
    EXPECT_EQ(counters_.framesLost, 0U);
}

TEST_F(CameraDecoderTest, TablesMayBeMissing) {
    const std::string path = clip("-c:v mjpeg -huffman default -pix_fmt yuvj422p");
    const auto expected = md5sOf(ffmpegFrameSums("-i " + path));
    const auto packets = packetsOf(path);
    CameraDecoder decoder(modeOf(V4L2_PIX_FMT_MJPEG), {}, 0, allocator_);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        const Packet stripped = withoutHuffmanTables(packets[i]);
        ASSERT_LT(stripped.size(), packets[i].size());
        ASSERT_EQ(decode(decoder, stripped), Status::Ok);
        EXPECT_EQ(sumOf(frame_).md5, expected.at(i));
    }
}

TEST_F(CameraDecoderTest, BrokenPicturesAreLeftOutAndCounted) {
    const std::string path = clip("-c:v mjpeg -q:v 3 -pix_fmt yuvj422p");
    const auto expected = md5sOf(ffmpegFrameSums("-i " + path));
    const auto packets = packetsOf(path);
    const Packet& whole = packets.at(1);
    const auto scan = static_cast<std::ptrdiff_t>(scanOf(whole));
    Packet endsEarly(whole.begin(),
                     whole.begin() + scan + (static_cast<std::ptrdiff_t>(whole.size()) - scan) / 2);
    Packet endsEarlyInOrder = endsEarly;
    endsEarlyInOrder.insert(endsEarlyInOrder.end(), {std::byte{0xFF}, std::byte{0xD9}});
    const Packet headerOnly(whole.begin(), whole.begin() + scan);
    const Packet beginningMissing(whole.begin() + scan, whole.end());
    const std::vector<Packet> broken{endsEarly,
                                     endsEarlyInOrder,
                                     headerOnly,
                                     beginningMissing,
                                     Packet(5000, std::byte{0x55}),
                                     Packet(1, std::byte{0xFF})};
    CameraDecoder decoder(modeOf(V4L2_PIX_FMT_MJPEG), {}, 0, allocator_);
    for (std::size_t i = 0; i < broken.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(decode(decoder, broken[i]), Status::Busy);
        EXPECT_FALSE(frame_.lease);
        EXPECT_EQ(counters_.framesLost, i + 1);
        ASSERT_EQ(decode(decoder, packets[i % packets.size()]), Status::Ok);
        EXPECT_EQ(sumOf(frame_).md5, expected.at(i % packets.size()));
    }
    EXPECT_EQ(decode(decoder, {}), Status::Busy);
    EXPECT_EQ(counters_.framesLost, broken.size());
}

TEST_F(CameraDecoderTest, PicturesOfAnotherKindAreNotTheCameras) {
    const auto packets = packetsOf(clip("-c:v mjpeg -pix_fmt yuvj422p"));
    const auto larger = packetsOf(clip("-c:v mjpeg -pix_fmt yuvj422p", "640x480", "larger.nut"));
    const auto smaller = packetsOf(clip("-c:v mjpeg -pix_fmt yuvj422p", "160x120", "smaller.nut"));
    const auto sampled = packetsOf(clip("-c:v mjpeg -pix_fmt yuvj420p", "320x240", "sampled.nut"));
    CameraDecoder decoder(modeOf(V4L2_PIX_FMT_MJPEG), {}, 0, allocator_);
    EXPECT_EQ(decode(decoder, larger[0]), Status::Busy);
    EXPECT_EQ(decode(decoder, smaller[0]), Status::Busy);
    ASSERT_EQ(decode(decoder, packets[0]), Status::Ok);
    const std::uint64_t slotBytes = frame_.lease.pool()->slotBytes();
    EXPECT_EQ(decode(decoder, larger[1]), Status::Busy);
    EXPECT_EQ(decode(decoder, sampled[1]), Status::Busy);
    ASSERT_EQ(decode(decoder, packets[2]), Status::Ok);
    EXPECT_EQ(frame_.lease.pool()->slotBytes(), slotBytes);
    EXPECT_EQ(counters_.framesLost, 4U);
}

TEST_F(CameraDecoderTest, TheStreamKeepsItsKindWhateverArrives) {
    const auto packets = packetsOf(clip("-c:v mjpeg -pix_fmt yuvj420p"));
    CameraDecoder decoder(modeOf(V4L2_PIX_FMT_MJPEG), {}, 0, allocator_);
    ASSERT_EQ(decode(decoder, packets[0]), Status::Ok);
    std::mt19937 random(7);
    for (int turn = 0; turn < 300; ++turn) {
        Packet packet = packets[random() % packets.size()];
        for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips) {
            packet[random() % packet.size()] = static_cast<std::byte>(random());
        }
        if (decode(decoder, packet) == Status::Ok) {
            EXPECT_EQ(frame_.format.width, kWidth);
            EXPECT_EQ(frame_.format.height, kHeight);
            EXPECT_EQ(frame_.format.pixelFormat, PixelFormat::yuv420p);
            EXPECT_EQ(formatProblem(frame_.format), std::nullopt);
        }
    }
    EXPECT_GT(counters_.framesLost, 0U);
    EXPECT_EQ(decode(decoder, packets[0]), Status::Ok);
}

TEST_F(CameraDecoderTest, PicturesThatBuildOnOthersComeAtOnce) {
    const std::string path = clip("-c:v libx264 -tune zerolatency -pix_fmt yuv420p", "320x240", "clip.h264");
    const auto expected = md5sOf(ffmpegFrameSums("-i " + path));
    const auto packets = packetsOf(path);
    ASSERT_EQ(packets.size(), static_cast<std::size_t>(kFrames));
    CameraDecoder decoder(modeOf(V4L2_PIX_FMT_H264), Rational{30, 1}, 2, allocator_);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        ASSERT_EQ(decode(decoder, packets[i]), Status::Ok);
        EXPECT_EQ(sumOf(frame_).md5, expected.at(i));
    }
    EXPECT_EQ(counters_.pixelCopies, 0U);
    decoder.restart();
    EXPECT_EQ(decode(decoder, packets[2]), Status::Busy);  // its reference pictures were dropped
    ASSERT_EQ(decode(decoder, packets[0]), Status::Ok);
    EXPECT_EQ(sumOf(frame_).md5, expected[0]);
}

TEST_F(CameraDecoderTest, FormatsThatAreNotCompressedAreRefused) {
    EXPECT_THROW(CameraDecoder(modeOf(V4L2_PIX_FMT_YUYV), {}, 0, allocator_), Error);
}

}  // namespace
}  // namespace verbcast::testing
