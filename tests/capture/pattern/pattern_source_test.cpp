#include <cstring>
#include <set>

#include "capture/frame_source.h"
#include "capture/pattern/pattern_names.h"
#include "core/video/frame_md5.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/support/changes_mirror.h"

extern "C" {
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace verbcast::testing {
namespace {

struct StreamSize {
    std::uint32_t width, height;
};
constexpr StreamSize kStreamSizes[] = {{64, 48}, {127, 95}, {16, 16}, {17, 31}, {640, 360}};

SourceOptions patternOptions(const std::string& pattern, PixelFormat format, StreamSize size) {
    return {.source = "pattern:" + pattern,
            .pixelFormat = format,
            .width = size.width,
            .height = size.height,
            .slots = 2};
}

class Patterns : public ::testing::TestWithParam<std::string> {};

TEST_P(Patterns, EveryFrameIsNewAndRepeatable) {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (const StreamSize size : kStreamSizes) {
            SCOPED_TRACE(std::string(info.name) + " " + std::to_string(size.width));
            const auto options = patternOptions(GetParam(), info.format, size);
            const auto sums = takeSums(*openSource(options), 20);
            EXPECT_EQ(sums, takeSums(*openSource(options), 20));
            std::set<std::string> distinct;
            for (const auto& sum : sums) {
                distinct.insert(sum.md5);
            }
            EXPECT_EQ(distinct.size(), 20U);
        }
    }
}

// Slots start with old content: a byte that a frame does not write shows as a difference.
TEST_P(Patterns, FillEveryByte) {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (const StreamSize size : kStreamSizes) {
            SCOPED_TRACE(std::string(info.name) + " " + std::to_string(size.width));
            std::string sums[2];
            for (const int fill : {0x00, 0xFF}) {
                const auto source = openSource(patternOptions(GetParam(), info.format, size));
                const Event never;
                CapturedFrame frame;
                ASSERT_EQ(source->capture(frame, never), Status::Ok);
                frame.lease.reset();
                ASSERT_EQ(source->capture(frame, never), Status::Ok);
                const auto pool = frame.lease.pool();
                frame.lease.reset();
                std::memset(pool->memory()->bytes().data(), fill, pool->memory()->bytes().size());
                ASSERT_EQ(source->capture(frame, never), Status::Ok);
                ASSERT_EQ(frame.pts, 2);
                sums[fill & 1] = frameMd5(frame.format, frame.lease.data());
            }
            EXPECT_EQ(sums[0], sums[1]);
        }
    }
}

TEST_P(Patterns, TellWhatChanges) {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (const StreamSize size : kStreamSizes) {
            SCOPED_TRACE(std::string(info.name) + " " + std::to_string(size.width));
            const auto source = openSource(patternOptions(GetParam(), info.format, size));
            ChangesMirror mirror;
            for (int i = 0; i < 30; ++i) {
                const Event never;
                CapturedFrame frame;
                ASSERT_EQ(source->capture(frame, never), Status::Ok);
                ASSERT_TRUE(mirror.follow(frame.format, frame.lease.data(), frame.changed)) << i;
            }
            EXPECT_EQ(mirror.parts, GetParam() == "bars" || GetParam() == "counter" ? 29 : 0);
        }
    }
}

std::vector<std::string> patternNames() {
    std::vector<std::string> names;
    for (const PatternName& pattern : kPatternNames) {
        names.emplace_back(pattern.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(All, Patterns, ::testing::ValuesIn(patternNames()),
                         [](const auto& test) { return test.param; });

std::vector<std::uint8_t> toRgb(const CapturedFrame& frame, AVPixelFormat format) {
    const int width = static_cast<int>(frame.format.width), height = static_cast<int>(frame.format.height);
    SwsContext* scaler =
        sws_getContext(width, height, format, width, height, AV_PIX_FMT_RGB24,
                       SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr);
    const int* matrix = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(scaler, matrix, frame.format.colour.fullRange, matrix, 1, 0, 1 << 16, 1 << 16);
    std::vector<std::uint8_t> rgb(std::size_t{frame.format.width} * frame.format.height * 3);
    const std::uint8_t* from[4] = {};
    int strides[4] = {};
    for (std::size_t plane = 0; plane < pixelFormatInfo(frame.format.pixelFormat).planeCount; ++plane) {
        from[plane] =
            reinterpret_cast<const std::uint8_t*>(frame.lease.data()) + frame.format.planes[plane].offset;
        strides[plane] = static_cast<int>(frame.format.planes[plane].stride);
    }
    std::uint8_t* to[4] = {rgb.data()};
    const int toStrides[4] = {width * 3};
    sws_scale(scaler, from, strides, 0, height, to, toStrides);
    sws_freeContext(scaler);
    return rgb;
}

// The centres of the seven bars in every format, converted to RGB by swscale.
TEST(PatternColours, BarsAreTheSameInAllFormats) {
    const std::uint8_t k = 191;  // 75 %
    const std::uint8_t expected[7][3] = {{k, k, k}, {k, k, 0}, {0, k, k}, {0, k, 0},
                                         {k, 0, k}, {k, 0, 0}, {0, 0, k}};
    for (const PixelFormatInfo& info : allPixelFormats()) {
        const AVPixelFormat format = av_get_pix_fmt(std::string(info.name).c_str());
        if (format == AV_PIX_FMT_NONE || format == AV_PIX_FMT_GRAY8) {
            continue;
        }
        SCOPED_TRACE(info.name);
        const auto source = openSource(patternOptions("bars", info.format, {640, 360}));
        const Event never;
        CapturedFrame frame;
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
        const auto rgb = toRgb(frame, format);
        for (std::size_t bar = 0; bar < 7; ++bar) {
            const std::size_t x =
                80 + static_cast<std::size_t>((static_cast<double>(bar) + 0.5) * 640 * 3 / 28);
            const std::uint8_t* pixel = rgb.data() + (20 * 640 + x) * 3;
            for (int c = 0; c < 3; ++c) {
                EXPECT_NEAR(pixel[c], expected[bar][c], 2) << "bar " << bar << " component " << c;
            }
        }
    }
}

// SMPTE RP 219: the third band has a ramp from black to white, from 1/8 to 1/8 + 6 * 3/28 of the width.
TEST(PatternColours, TheRampMeetsItsNeighboursAtEverySize) {
    for (const StreamSize size : {StreamSize{1280, 720},
                                  {3840, 2160},
                                  {720, 576},
                                  {1366, 768},
                                  {1920, 1080},
                                  {640, 360},
                                  {1000, 400},
                                  {333, 240}}) {
        SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
        const auto source = openSource(patternOptions("bars", PixelFormat::rgba, size));
        const Event never;
        CapturedFrame frame;
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
        const auto* row = reinterpret_cast<const std::uint8_t*>(frame.lease.data()) +
                          std::size_t{size.height * 17 / 24} * frame.format.planes[0].stride;
        const auto begin = static_cast<std::uint32_t>(std::lround(size.width / 8.0));
        const auto end = static_cast<std::uint32_t>(std::lround(size.width * (1 / 8.0 + 18 / 28.0)));
        // The first columns hold the line that identifies the frame.
        for (std::uint32_t x = size.width / 16; x < end + 1; ++x) {
            const double level = 255.0 * (x - begin) / (end - begin);
            for (std::uint32_t c = 0; c < 3; ++c) {
                const double expected = x < begin ? (c < 2 ? 255 : 0) : x < end ? level : 255;
                ASSERT_NEAR(row[4 * x + c], expected, 1) << "column " << x << " component " << c;
            }
        }
    }
}

TEST(PatternSource, V210EqualsPlanarContent) {
    // The same canvas in another packing: FFmpeg's v210 decoder would turn one into the other.
    const auto packed = openSource(patternOptions("zone", PixelFormat::v210, {96, 50}));
    const auto planar = openSource(patternOptions("zone", PixelFormat::yuv422p10le, {96, 50}));
    const Event never;
    CapturedFrame a, b;
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(packed->capture(a, never), Status::Ok);
        ASSERT_EQ(planar->capture(b, never), Status::Ok);
        for (std::uint32_t y = 0; y < 50; ++y) {
            for (std::uint32_t x = 0; x < 96; ++x) {
                // Luma sample x is field 2x + 1 of the row; each word holds three.
                std::uint32_t word;
                std::memcpy(&word, a.lease.data() + y * a.format.planes[0].stride + (2 * x + 1) / 3 * 4, 4);
                std::uint16_t sample;
                std::memcpy(&sample, b.lease.data() + y * b.format.planes[0].stride + x * 2, 2);
                ASSERT_EQ(word >> (2 * x + 1) % 3 * 10 & 1023, sample) << x << ',' << y;
            }
        }
    }
}

/// The numbers of the first white pictures, by a pixel that no digit covers.
std::vector<std::int64_t> flashes(Rational rate, int pictures) {
    SourceOptions options = patternOptions("flash", PixelFormat::gray, {64, 48});
    options.frameRate = rate;
    const auto source = openSource(options);
    std::vector<std::int64_t> found;
    for (int i = 0; i < pictures; ++i) {
        const Event never;
        CapturedFrame frame;
        EXPECT_EQ(source->capture(frame, never), Status::Ok);
        const auto level = std::to_integer<int>(frame.lease.data()[0]);
        EXPECT_TRUE(level == 0 || level == 255) << level;
        if (level == 255) {
            found.push_back(frame.pts);
        }
    }
    return found;
}

TEST(PatternSource, FlashesWhileASecondBegins) {
    using Numbers = std::vector<std::int64_t>;
    EXPECT_EQ(flashes({60, 1}, 181), (Numbers{0, 60, 120, 180}));
    EXPECT_EQ(flashes({25, 1}, 51), (Numbers{0, 25, 50}));
    // 29.97 per second: picture 29 lasts from 0.9676 to 1.001 s, picture 59 from 1.9686 to 2.002 s.
    EXPECT_EQ(flashes({30000, 1001}, 120), (Numbers{0, 29, 59, 89, 119}));
    EXPECT_EQ(flashes({5, 2}, 10), (Numbers{0, 2, 5, 7}));
    EXPECT_EQ(flashes({1, 2}, 3), (Numbers{0, 1, 2}));
}

TEST(PatternSource, DefaultsAndDescription) {
    const auto source = openSource({.source = "pattern", .slots = 2});
    EXPECT_EQ(source->describe(), "pattern bars");
    EXPECT_EQ(source->format().width, 1920U);
    EXPECT_EQ(source->format().height, 1080U);
    EXPECT_EQ(source->format().pixelFormat, PixelFormat::rgba);
    EXPECT_EQ(source->format().frameRate, (Rational{60, 1}));
    EXPECT_EQ(source->format().timeBase, (Rational{1, 60}));
    EXPECT_TRUE(source->isLive());
    EXPECT_EQ(formatProblem(source->format()), std::nullopt);
}

TEST(PatternSource, UnknownNamesAndSizes) {
    try {
        openSource({.source = "pattern:plaid"});
        ADD_FAILURE() << "opened";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
        EXPECT_NE(std::string(error.what()).find("plaid"), std::string::npos);
        EXPECT_NE(error.remedy().find("gradient"), std::string::npos);
    }
    EXPECT_THROW(openSource({.source = "pattern", .width = 0, .height = 100}), Error);
    EXPECT_THROW(openSource({.source = "pattern", .width = 1'000'000, .height = 100}), Error);
}

TEST(PatternSource, CancelWhileAllSlotsAreHeld) {
    const auto source = openSource(patternOptions("noise", PixelFormat::gray, {64, 48}));
    Event cancel;
    CapturedFrame frames[3];
    ASSERT_EQ(source->capture(frames[0], cancel), Status::Ok);
    ASSERT_EQ(source->capture(frames[1], cancel), Status::Ok);
    cancel.notify();
    EXPECT_EQ(source->capture(frames[2], cancel), Status::Cancelled);
}

}  // namespace
}  // namespace verbcast::testing
