// The error between two pictures, against ffmpeg's psnr filter.
#include "render/picture_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "tests/support/ffmpeg_program.h"
#include "tests/support/required_package.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

RgbaImage noise(std::uint32_t width, std::uint32_t height, unsigned seed) {
    std::mt19937 random(seed);
    RgbaImage image{width, height, std::vector<std::uint8_t>(std::size_t{4} * width * height)};
    for (auto& byte : image.pixels) {
        byte = static_cast<std::uint8_t>(random());
    }
    return image;
}

/// Each component except alpha changes by at most `most`.
RgbaImage disturbed(RgbaImage image, int most, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> off(-most, most);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        if (i % 4 != 3) {
            image.pixels[i] = static_cast<std::uint8_t>(std::clamp(image.pixels[i] + off(random), 0, 255));
        }
    }
    return image;
}

TEST(PictureError, OfEqualPicturesIsNone) {
    const RgbaImage image = noise(31, 17, 1);
    const auto error = pictureError(image, image);
    ASSERT_TRUE(error);
    EXPECT_TRUE(std::isinf(error->psnr));
    EXPECT_EQ(error->largest, 0);
}

TEST(PictureError, CountsRedGreenAndBlueAndNotAlpha) {
    const RgbaImage black{2, 2, std::vector<std::uint8_t>(16, 0)};
    RgbaImage other = black;
    other.pixels[3] = 255;  // alpha
    EXPECT_EQ(pictureError(black, other)->largest, 0);
    other.pixels[8] = 51;  // a fifth, in one component of twelve
    const auto error = pictureError(black, other);
    EXPECT_EQ(error->largest, 51);
    EXPECT_NEAR(error->psnr, 10 * std::log10(25.0 * 12), 1e-9);
}

TEST(PictureError, NeedsTwoOfOneSize) {
    EXPECT_FALSE(pictureError(noise(4, 4, 1), noise(4, 5, 1)));
    EXPECT_FALSE(pictureError(noise(2, 8, 1), noise(4, 4, 1)));
    EXPECT_FALSE(pictureError({}, {}));
}

TEST(PictureError, IsWhatFfmpegSays) {
    if (!hasFfmpeg()) {
        SKIP_FOR_WANT_OF_A_PACKAGE() << "SKIPPED, there is no ffmpeg";
    }
    const TemporaryFolder folder;
    const RgbaImage first = noise(320, 180, 3);
    const auto write = [&](const RgbaImage& image, const std::string& name) {
        std::ofstream(folder.file(name), std::ios::binary)
            .write(reinterpret_cast<const char*>(image.pixels.data()),
                   static_cast<std::streamsize>(image.pixels.size()));
    };
    write(first, "first");
    for (const int most : {1, 4, 60, 255}) {
        const RgbaImage second = disturbed(first, most, 5);
        write(second, "second");
        std::vector<std::string> arguments;
        for (const char* name : {"first", "second"}) {
            arguments.insert(arguments.end(), {"-f", "rawvideo", "-pix_fmt", "rgb0", "-s", "320x180", "-i",
                                               folder.file(name)});
        }
        arguments.insert(arguments.end(),
                         {"-lavfi", "[0]format=gbrp[a];[1]format=gbrp[b];[a][b]psnr=stats_file=-", "-f",
                          "null", "/dev/null"});
        const std::string said = ffmpeg(arguments);
        const std::size_t at = said.find("psnr_avg:");
        ASSERT_NE(at, std::string::npos) << said;
        const auto error = pictureError(first, second);
        ASSERT_TRUE(error);
        EXPECT_NEAR(error->psnr, std::stod(said.substr(at + 9)), 0.006) << "it gives two digits";
        EXPECT_EQ(error->largest, most);
    }
}

}  // namespace
}  // namespace verbcast::testing
