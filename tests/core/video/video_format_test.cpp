// Sizes and layouts compared with libavutil, whose format names are used.
#include "core/video/video_format.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <cstring>
#include <vector>

#include "core/video/frame_md5.h"

namespace verbcast::testing {
namespace {

TEST(PixelFormats, AreKnownToFfmpegWithTheSamePlanesAndDepth) {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        if (info.format == PixelFormat::v210) {
            continue;  // there it is a codec, not a pixel format
        }
        const AVPixelFormat av = av_get_pix_fmt(std::string(info.name).c_str());
        ASSERT_NE(av, AV_PIX_FMT_NONE) << info.name;
        const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(av);
        EXPECT_EQ(av_pix_fmt_count_planes(av), info.planeCount) << info.name;
        EXPECT_EQ(descriptor->comp[0].depth, info.bitsPerComponent) << info.name;
        EXPECT_EQ(descriptor->log2_chroma_w, info.chromaShiftX) << info.name;
        EXPECT_EQ(descriptor->log2_chroma_h, info.chromaShiftY) << info.name;
        EXPECT_EQ((descriptor->flags & AV_PIX_FMT_FLAG_RGB) != 0, info.rgb) << info.name;
    }
}

TEST(VideoFormat, TightSizeEqualsFfmpegsRawvideo) {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        const AVPixelFormat av = av_get_pix_fmt(std::string(info.name).c_str());
        for (auto [w, h] : {std::pair{16, 16},
                            {17, 17},
                            {127, 95},
                            {1366, 768},
                            {1921, 1081},
                            {3840, 2160},
                            {16384, 8192}}) {
            const VideoFormat format =
                tightFormat(static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(h), info.format);
            // v210 in FFmpeg: rows of 16-byte groups of 6 pixels, padded to 48 pixels, which are 128 bytes.
            const std::uint64_t expected =
                info.format == PixelFormat::v210
                    ? std::uint64_t{(static_cast<unsigned>(w) + 47) / 48 * 128} * static_cast<unsigned>(h)
                    : static_cast<std::uint64_t>(av_image_get_buffer_size(av, w, h, 1));
            EXPECT_EQ(tightBytes(format), expected) << info.name << " " << w << "x" << h;
            EXPECT_EQ(format.payloadBytes, expected) << info.name;
            EXPECT_FALSE(formatProblem(format)) << *formatProblem(format);
        }
    }
}

TEST(VideoFormat, TravelsUnchanged) {
    VideoFormat format = tightFormat(1921, 1081, PixelFormat::p010le);
    layOutPlanes(format, 64, 4096);
    format.frameRate = {60000, 1001};
    format.timeBase = {1001, 60000};
    format.pixelAspect = {4, 3};
    format.rotation = 270;
    format.colour = {9, 16, 9, false, 3};
    std::array<std::byte, 256> buffer;
    WireWriter writer(buffer);
    writer(format);
    ByteReader reader(writer.bytes());
    EXPECT_EQ(decodeMessage<VideoFormat>(reader), format);
    EXPECT_EQ(reader.remaining(), 0U);
}

TEST(VideoFormat, EveryTruncationOfAnEncodedFormatIsRefused) {
    std::array<std::byte, 256> buffer;
    WireWriter writer(buffer);
    writer(tightFormat(64, 64, PixelFormat::rgba));
    for (std::size_t length = 0; length < writer.bytes().size(); ++length) {
        ByteReader reader(writer.bytes().first(length));
        EXPECT_THROW(decodeMessage<VideoFormat>(reader), Error) << length;
    }
}

TEST(VideoFormat, ImpossibleFormatsFromAPeerAreRefused) {
    const auto refused = [](auto&& change) {
        VideoFormat format = tightFormat(640, 480, PixelFormat::yuv420p);
        change(format);
        std::array<std::byte, 256> buffer;
        WireWriter writer(buffer);
        writer(format);
        ByteReader reader(writer.bytes());
        EXPECT_THROW(decodeMessage<VideoFormat>(reader), Error);
    };
    refused([](VideoFormat& f) { f.width = 0; });
    refused([](VideoFormat& f) { f.height = 1'000'000; });
    refused([](VideoFormat& f) { f.pixelFormat = static_cast<PixelFormat>(200); });
    refused([](VideoFormat& f) { f.planes[1].offset = ~0ULL; });
    refused([](VideoFormat& f) { f.planes[2].offset = f.payloadBytes - 1; });
    refused([](VideoFormat& f) { f.planes[0].stride = 639; });
    refused([](VideoFormat& f) { f.planes[0].stride = 0xFFFFFFFF; });
    refused([](VideoFormat& f) { f.payloadBytes = ~0ULL; });
    refused([](VideoFormat& f) { f.payloadBytes = 0; });
    refused([](VideoFormat& f) { f.payloadBytes -= 1; });
    refused([](VideoFormat& f) { f.rotation = 45; });
    refused([](VideoFormat& f) { f.timeBase.denominator = 0; });
    refused([](VideoFormat& f) { f.colour.chromaLocation = 99; });
}

TEST(VideoFormat, SizesOutOfRangeAreRefused) {
    EXPECT_THROW(static_cast<void>(tightFormat(0, 480, PixelFormat::rgba)), Error);
    EXPECT_THROW(static_cast<void>(tightFormat(640, 15, PixelFormat::rgba)), Error);
    EXPECT_THROW(static_cast<void>(tightFormat(16385, 480, PixelFormat::rgba)), Error);
}

TEST(FrameMd5, PaddingDoesNotCount) {
    const VideoFormat tight = tightFormat(33, 17, PixelFormat::yuv422p);
    VideoFormat padded = tight;
    layOutPlanes(padded, 64, 256);
    ASSERT_GT(padded.payloadBytes, tight.payloadBytes);
    std::vector<std::byte> a(tight.payloadBytes);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<std::byte>(i * 7 + i / 251);
    }
    for (const int padding : {0, 255}) {
        std::vector<std::byte> b(padded.payloadBytes, static_cast<std::byte>(padding));
        for (std::size_t plane = 0; plane < 3; ++plane) {
            for (std::uint32_t y = 0; y < planeRows(tight, plane); ++y) {
                std::memcpy(
                    b.data() + padded.planes[plane].offset + std::size_t{y} * padded.planes[plane].stride,
                    a.data() + tight.planes[plane].offset + std::size_t{y} * tight.planes[plane].stride,
                    tightRowBytes(tight, plane));
            }
        }
        EXPECT_EQ(frameMd5(padded, b.data()), frameMd5(tight, a.data()));
    }
}

TEST(FrameMd5, IsMd5) {
    // RFC 1321 has no test vector of a frame's size; the MD5 of 256 zero bytes is from md5sum(1).
    const VideoFormat format = tightFormat(16, 16, PixelFormat::gray);
    const std::vector<std::byte> zeros(256);
    EXPECT_EQ(frameMd5(format, zeros.data()), "348a9791dc41b89796ec3808b5b5262f");
}

}  // namespace
}  // namespace verbcast::testing
