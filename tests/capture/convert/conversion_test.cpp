// Conversions against the ffmpeg program with the same scaler settings.
#include <cstring>

#include "tests/capture/ffmpeg_reference.h"

namespace verbcast::testing {
namespace {

constexpr const char* kScale = "scale=flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact";

class ConversionTest : public FfmpegTest {
  protected:
    std::string makeClip(const std::string& pixelFormat, const std::string& size = "128x96") {
        const std::string path = file(pixelFormat + ".nut");
        ffmpeg("-f lavfi -i testsrc2=s=" + size +
               ":r=25 -vf noise=alls=40 -frames:v 2 -c:v rawvideo -pix_fmt " + pixelFormat + " " + path);
        return path;
    }
};

TEST_F(ConversionTest, UnlistedFormatsGoToTheNearest) {
    for (const auto& [source, nearest] : std::vector<std::pair<std::string, std::string>>{
             {"yuv440p", "yuv444p"},
             {"yuv411p", "yuv422p"},
             {"yuva420p", "yuv420p"},
             {"nv21", "yuv420p"},
             {"yvyu422", "yuv422p"},
             {"yuv420p12le", "yuv420p10le"},
             {"yuv444p16le", "yuv444p10le"},
             {"bgr24", "rgb24"},
             {"gbrp", "rgb24"},
             {"argb", "rgba"},
         }) {
        SCOPED_TRACE(source);
        const std::string path = makeClip(source);
        const auto opened = openSource({.source = path});
        EXPECT_EQ(pixelFormatName(opened->format().pixelFormat), nearest);
        ASSERT_EQ(opened->notes().size(), 1U);
        EXPECT_EQ(opened->notes()[0].find(source + " is sent as " + nearest), 0U);
        const auto sums = takeSums(*opened);
        EXPECT_EQ(sums, ffmpegFrameSums("-i " + path + " -vf " + kScale + " -pix_fmt " + nearest));
        EXPECT_EQ(opened->counters().pixelCopies, 2U);
    }
}

TEST_F(ConversionTest, PalettesBecomeRgba) {
    const std::string path = file("clip.gif");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 2 " + path);
    const auto source = openSource({.source = path});
    const auto sums = takeSums(*source);
    EXPECT_EQ(sums, ffmpegFrameSums("-i " + path + " -pix_fmt " +
                                    std::string(pixelFormatName(source->format().pixelFormat))));
    EXPECT_EQ(sums.size(), 2U);
}

TEST_F(ConversionTest, AskedForFormats) {
    const std::string path = makeClip("yuv420p");
    for (const std::string target : {"nv12", "yuv422p", "uyvy422", "yuyv422", "yuv444p", "yuv420p10le",
                                     "p010le", "yuv422p10le", "yuv444p10le", "rgba", "bgra", "rgb24"}) {
        SCOPED_TRACE(target);
        const auto source = openSource({.source = path, .pixelFormat = pixelFormatByName(target)});
        EXPECT_EQ(pixelFormatName(source->format().pixelFormat), target);
        EXPECT_EQ(takeSums(*source),
                  ffmpegFrameSums("-i " + path + " -vf " + kScale + " -pix_fmt " + target));
    }
}

TEST_F(ConversionTest, LumaBecomesGrayUnchanged) {
    const std::string path = makeClip("yuv420p");
    const auto source = openSource({.source = path, .pixelFormat = PixelFormat::gray});
    EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-i " + path + " -vf extractplanes=y -pix_fmt gray"));
    EXPECT_FALSE(source->format().colour.fullRange);
}

TEST_F(ConversionTest, RgbBecomesBt709Limited) {
    const std::string path = makeClip("rgb24");
    for (const std::string target : {"yuv420p", "yuv422p10le", "yuv444p"}) {
        const auto source = openSource({.source = path, .pixelFormat = pixelFormatByName(target)});
        EXPECT_EQ(source->format().colour.matrix, 1);
        EXPECT_FALSE(source->format().colour.fullRange);
        EXPECT_EQ(takeSums(*source),
                  ffmpegFrameSums("-i " + path + " -vf " + kScale +
                                  ":out_color_matrix=bt709:out_range=tv -pix_fmt " + target));
    }
}

TEST_F(ConversionTest, Scaling) {
    const std::string path = makeClip("yuv420p");
    const auto source = openSource({.source = path, .width = 200, .height = 76});
    EXPECT_EQ(source->format().width, 200U);
    // The picture keeps its aspect ratio: 128x96 square pixels.
    EXPECT_EQ(source->format().pixelAspect, (Rational{38, 75}));
    std::string filter = kScale;
    filter.replace(0, 6, "scale=200:76:");
    EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-i " + path + " -vf " + filter));

    const auto narrow = openSource({.source = path, .width = 64});
    EXPECT_EQ(narrow->format().height, 48U);
    EXPECT_EQ(narrow->format().pixelAspect, (Rational{1, 1}));
}

/// The planes G, B and R of planar RGB at 16 bits per sample.
std::uint16_t sampleAt(const std::vector<std::uint8_t>& raw, std::size_t plane, std::size_t pixel,
                       std::size_t pixels) {
    std::uint16_t value;
    std::memcpy(&value, raw.data() + (plane * pixels + pixel) * 2, 2);
    return value;
}

TEST_F(ConversionTest, DeepRgbKeepsItsTenBits) {
    constexpr std::size_t kPixels = 128 * 96;
    for (const auto& [format, depth] :
         std::vector<std::pair<std::string, int>>{{"gbrp10le", 10}, {"gbrp16le", 16}}) {
        SCOPED_TRACE(format);
        const std::string path = makeClip(format);
        const auto raw = ffmpegRaw("-i " + path + " -frames:v 1");
        ASSERT_EQ(raw.size(), kPixels * 6);
        const auto source = openSource({.source = path});
        ASSERT_EQ(source->format().pixelFormat, PixelFormat::x2rgb10le);
        const Event never;
        CapturedFrame frame;
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
        const double top = (1 << depth) - 1;
        const auto tenBits = [&](std::size_t plane, std::size_t pixel) {
            return static_cast<std::uint32_t>(sampleAt(raw, plane, pixel, kPixels) / top * 1023 + 0.5);
        };
        std::size_t wrong = 0;
        for (std::size_t y = 0; y < 96; ++y) {
            for (std::size_t x = 0; x < 128; ++x) {
                const std::size_t pixel = y * 128 + x;
                std::uint32_t word;
                std::memcpy(&word, frame.lease.data() + y * frame.format.planes[0].stride + x * 4, 4);
                const std::uint32_t expected =
                    tenBits(2, pixel) << 20 | tenBits(0, pixel) << 10 | tenBits(1, pixel);
                wrong += word != expected ? 1 : 0;
            }
        }
        EXPECT_EQ(wrong, 0U);
    }
}

TEST_F(ConversionTest, YuvBecomesDeepRgb) {
    const std::string path = makeClip("yuv444p10le");
    const auto raw = ffmpegRaw("-i " + path + " -frames:v 1 -vf " + kScale + " -pix_fmt gbrp10le");
    const auto source = openSource({.source = path, .pixelFormat = PixelFormat::x2rgb10le});
    const Event never;
    CapturedFrame frame;
    ASSERT_EQ(source->capture(frame, never), Status::Ok);
    EXPECT_EQ(frame.format.colour.matrix, 0);
    EXPECT_TRUE(frame.format.colour.fullRange);
    constexpr std::size_t kPixels = 128 * 96;
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
        std::uint32_t word;
        std::memcpy(&word, frame.lease.data() + pixel / 128 * frame.format.planes[0].stride + pixel % 128 * 4,
                    4);
        ASSERT_EQ(word >> 20 & 1023, sampleAt(raw, 2, pixel, kPixels)) << pixel;
        ASSERT_EQ(word >> 10 & 1023, sampleAt(raw, 0, pixel, kPixels)) << pixel;
        ASSERT_EQ(word & 1023, sampleAt(raw, 1, pixel, kPixels)) << pixel;
    }
}

}  // namespace
}  // namespace verbcast::testing
