// Every pixel of every format against swscale.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>

#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"
#include "tests/render/swscale_reference.h"

namespace verbcast::testing {
namespace {

/// Compares all pixels; reports the number of wrong ones and the first.
void expectSwscale(const VideoFormat& format, const CodePicture& picture, const RgbaImage& image) {
    const auto reference = swscaleRgb(format, picture);
    ASSERT_EQ(image.width, format.width);
    ASSERT_EQ(image.height, format.height);
    ASSERT_EQ(image.pixels.size() / 4, reference.size() / 3);
    std::size_t wrong = 0, firstWrong = 0;
    int worst = 0;
    for (std::size_t pixel = 0; pixel < reference.size() / 3; ++pixel) {
        for (std::size_t i = 0; i < 3; ++i) {
            const int difference = std::abs(int{image.pixels[4 * pixel + i]} - int{reference[3 * pixel + i]});
            worst = std::max(worst, difference);
            if (difference > 1 && wrong++ == 0) {
                firstWrong = pixel;
            }
        }
    }
    EXPECT_EQ(wrong, 0u) << describe(format) << ": worst " << worst << ", first at ("
                         << firstWrong % format.width << ", " << firstWrong / format.width
                         << "): " << int{image.pixels[4 * firstWrong]} << " "
                         << int{image.pixels[4 * firstWrong + 1]} << " "
                         << int{image.pixels[4 * firstWrong + 2]} << ", swscale has "
                         << int{reference[3 * firstWrong]} << " " << int{reference[3 * firstWrong + 1]} << " "
                         << int{reference[3 * firstWrong + 2]};
}

void checkNoise(const VideoFormat& format) {
    const auto picture = noisePicture(format);
    ShowingRenderer renderer(format, picture, UploadPath::Direct);
    expectSwscale(format, picture, renderer.readPicture());
}

using WidthAndHeight = std::tuple<std::uint32_t, std::uint32_t>;

class FormatAndSize : public GlTest,
                      public ::testing::WithParamInterface<std::tuple<PixelFormat, WidthAndHeight>> {};

TEST_P(FormatAndSize, IsWithinOneOfSwscale) {
    const auto [pixelFormat, size] = GetParam();
    checkNoise(namedFormat(std::get<0>(size), std::get<1>(size), pixelFormat));
}

std::string formatAndSizeName(const ::testing::TestParamInfo<FormatAndSize::ParamType>& info) {
    const auto& [format, size] = info.param;
    return std::string(pixelFormatName(format)) + "_" + std::to_string(std::get<0>(size)) + "x" +
           std::to_string(std::get<1>(size));
}

INSTANTIATE_TEST_SUITE_P(Pixels, FormatAndSize,
                         ::testing::Combine(::testing::ValuesIn(everyFormat()),
                                            ::testing::Values(WidthAndHeight{64, 64},
                                                              WidthAndHeight{1366, 768},
                                                              WidthAndHeight{127, 95})),
                         formatAndSizeName);
// The same shaders, with seconds for each in software.
INSTANTIATE_TEST_SUITE_P(Thorough, FormatAndSize,
                         ::testing::Combine(::testing::ValuesIn(everyFormat()),
                                            ::testing::Values(WidthAndHeight{1920, 1080},
                                                              WidthAndHeight{3840, 2160})),
                         formatAndSizeName);

class Format : public GlTest, public ::testing::WithParamInterface<PixelFormat> {};

// An error that the tests' packing code shares with the shaders would go unnoticed.
TEST_P(Format, IsPackedAsFfmpegPacksIt) {
    const auto format = namedFormat(96, 32, GetParam());
    if (GetParam() ==
        PixelFormat::x2rgb10le) {  // swscale only approximates this one; the bit order is still visible
        const auto pixel = swscaleFirstPixel(format, packPicture(format, flatPicture(format, 900, 500, 100)));
        EXPECT_NEAR(pixel[0], 900, 8);
        EXPECT_NEAR(pixel[1], 500, 8);
        EXPECT_NEAR(pixel[2], 100, 8);
        return;
    }
    auto picture = noisePicture(format);
    if (GetParam() == PixelFormat::v210) {  // FFmpeg's encoder keeps SDI's reserved codes out
        for (auto& plane : picture.planes) {
            for (auto& code : plane.codes) {
                code = std::clamp<std::uint16_t>(code, 4, 1019);
            }
        }
    }
    auto ours = packPicture(format, picture);
    auto theirs = ffmpegPacked(format, picture);
    if (GetParam() == PixelFormat::rgba || GetParam() == PixelFormat::bgra) {
        for (std::size_t alpha = 3; alpha < ours.size(); alpha += 4) {
            ours[alpha] = theirs[alpha] = std::byte{0};
        }
    }
    EXPECT_TRUE(ours == theirs);
}

TEST_P(Format, ConvertsEveryMatrixAndRange) {
    for (const std::uint8_t matrix : {1, 5, 6, 9}) {
        for (const bool fullRange : {false, true}) {
            auto format = namedFormat(130, 66, GetParam());
            if (pixelFormatInfo(GetParam()).rgb) {
                continue;  // matrix 0, full range: see FormatAndSize
            }
            format.colour.matrix = matrix;
            format.colour.fullRange = fullRange;
            checkNoise(format);
        }
    }
}

TEST_P(Format, PlacesChroma) {
    for (const std::uint8_t location : {0, 1, 2, 3}) {
        for (const std::uint32_t width : {64u, 37u}) {
            auto format = namedFormat(width, 33, GetParam());
            format.colour.chromaLocation = location;
            checkNoise(format);
        }
    }
}

TEST_P(Format, ReadsPaddedStridesAndOffsets) {
    for (const std::uint32_t padding : {1u, 2u, 4u, 64u, 100u}) {
        auto format = namedFormat(127, 41, GetParam());
        std::uint64_t end = 0;
        for (std::size_t i = 0; i < pixelFormatInfo(GetParam()).planeCount; ++i) {
            format.planes[i].offset = end + 3;
            format.planes[i].stride = tightRowBytes(format, i) + padding;
            end = format.planes[i].offset + std::uint64_t{format.planes[i].stride} * planeRows(format, i);
        }
        format.payloadBytes = end;
        checkNoise(format);
    }
}

INSTANTIATE_TEST_SUITE_P(Pixels, Format, ::testing::ValuesIn(everyFormat()), formatTestName);

TEST_F(GlTest, UnspecifiedMatrixFollowsTheHeight) {
    for (const std::uint32_t height : {576u, 720u}) {
        auto format = namedFormat(64, height, PixelFormat::yuv420p);
        const auto picture = noisePicture(format);
        format.colour.matrix = 2;
        ShowingRenderer renderer(format, picture, UploadPath::Direct);
        auto named = format;
        named.colour.matrix = height < 720 ? 5 : 1;
        expectSwscale(named, picture, renderer.readPicture());
    }
}

TEST_F(GlTest, FormatMayChangeInMidStream) {
    StreamRenderer renderer(UploadPath::Direct);
    for (const auto& [width, height] :
         {WidthAndHeight{64, 48}, WidthAndHeight{127, 95}, WidthAndHeight{64, 48}}) {
        for (const auto pixelFormat : everyFormat()) {
            const auto format = namedFormat(width, height, pixelFormat);
            const auto picture = noisePicture(format, width);
            const auto payload = packPicture(format, picture);
            renderer.upload(format, payload.data());
            expectSwscale(format, picture, renderer.readPicture());
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
