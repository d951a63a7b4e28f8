// The waveform's counts, against FFmpeg's waveform filter, and its panel.
#include "render/overlays/waveform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"
#include "tests/support/ffmpeg_program.h"
#include "tests/support/required_package.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kWidth = 96, kHeight = 54;  // counts stay below 255, where FFmpeg's end

/// By component, level and column.
using Counts = std::vector<unsigned>;

class WaveformOf : public GlTest, public ::testing::WithParamInterface<PixelFormat> {
  protected:
    /// FFmpeg's: a picture of the filter's, each pixel of the source adding one.
    Counts ffmpegsCounts(const VideoFormat& format, const CodePicture& picture) {
        const auto& info = pixelFormatInfo(format.pixelFormat);
        const bool wide = info.bitsPerComponent > 8;
        const std::string pixels = info.rgb ? (wide ? "gbrp10le" : "gbrp") : (wide ? "gray10le" : "gray");
        const std::string path = home_.file("picture");
        std::ofstream file(path, std::ios::binary);
        const std::size_t components = info.rgb ? 3 : 1;
        for (std::size_t plane = 0; plane < components; ++plane) {
            for (const std::uint16_t code : picture.planes[ofPlane(plane, components)].codes) {
                file.write(reinterpret_cast<const char*>(&code), wide ? 2 : 1);
            }
        }
        file.close();
        const std::string filter = fmt::format(
            "waveform=mode=column:mirror=1:components={}:display=overlay:"
            "envelope=none:graticule=none:intensity={}",
            info.rgb ? 7 : 1, wide ? "0.001" : "0.004");
        const std::string out = ffmpeg({"-f", "rawvideo", "-pix_fmt", pixels, "-s",
                                        fmt::format("{}x{}", format.width, format.height), "-i", path, "-vf",
                                        filter, "-pix_fmt", pixels, "-f", "rawvideo", "-"});
        const std::size_t levels = std::size_t{1} << info.bitsPerComponent;
        const std::size_t bytes = wide ? 2 : 1;
        EXPECT_EQ(out.size(), components * levels * format.width * bytes);
        Counts counts(components * levels * format.width);
        for (std::size_t i = 0; i < counts.size() && out.size() == counts.size() * bytes; ++i) {
            const std::size_t plane = i / (levels * format.width);
            const std::size_t level = i / format.width % levels;
            const std::size_t from = (plane * levels + levels - 1 - level) * format.width + i % format.width;
            std::uint16_t count = 0;
            std::memcpy(&count, out.data() + from * bytes, bytes);
            counts[(ofPlane(plane, components) * levels + level) * format.width + i % format.width] = count;
        }
        return counts;
    }

    Counts ourCounts(const VideoFormat& format, const CodePicture& picture) {
        StreamRenderer renderer(UploadPath::Direct);
        renderer.upload(format, packPicture(format, picture).data());
        WaveformCounts waveform;
        waveform.count(renderer.picture());
        const auto components = static_cast<std::size_t>(waveform.components());
        EXPECT_EQ(waveform.columns(), format.width);
        std::vector<float> texels(components * waveform.columns() * waveform.levels());
        glBindTexture(GL_TEXTURE_2D, waveform.texture());
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, texels.data());
        glBindTexture(GL_TEXTURE_2D, 0);
        const Counts counts(texels.begin(), texels.end());
        return counts;
    }

  private:
    /// FFmpeg's planes are G, B, R.
    static std::size_t ofPlane(std::size_t plane, std::size_t components) {
        return components == 1 ? 0 : (plane + 1) % 3;
    }

    TemporaryFolder home_;
};

TEST_P(WaveformOf, CountsWhatFfmpegCounts) {
    if (!hasFfmpeg()) {
        SKIP_FOR_WANT_OF_A_PACKAGE();
    }
    const VideoFormat format = namedFormat(kWidth, kHeight, GetParam());
    const CodePicture picture = noisePicture(format);
    const Counts ours = ourCounts(format, picture);
    EXPECT_EQ(ours, ffmpegsCounts(format, picture));
}

INSTANTIATE_TEST_SUITE_P(EveryFormat, WaveformOf, ::testing::ValuesIn(everyFormat()), formatTestName);

class WaveformPanel : public GlTest {
  protected:
    static TargetPart wholeOf(const Canvas& canvas) {
        const TargetRect whole{0, 0, canvas.width(), canvas.height()};
        return {canvas.width(), canvas.height(), whole, whole};
    }
    static void upload(StreamRenderer& renderer, std::uint16_t luma) {
        const VideoFormat format = namedFormat(128, 64, PixelFormat::yuv420p10le);
        renderer.upload(format, packPicture(format, flatPicture(format, luma, 512, 512)).data());
    }
};

TEST_F(WaveformPanel, HasItsTraceAtThePicturesLevel) {
    StreamRenderer renderer(UploadPath::Direct);
    Waveform waveform;
    const Canvas canvas(1000, 1000);
    // The panel: 420 x 360 at 555, 615; 1024 levels.
    for (const int level : {100, 500, 900}) {
        upload(renderer, static_cast<std::uint16_t>(level));
        clearTarget(canvas.width(), canvas.height(), kBlack);
        waveform.draw(renderer.picture(), wholeOf(canvas));
        const RgbaImage image = canvas.read();
        const int row = 615 + 359 - level * 360 / 1024;
        const int brightest = std::max({pixelAt(image, 760, row - 1).green, pixelAt(image, 760, row).green,
                                        pixelAt(image, 760, row + 1).green});
        EXPECT_GT(brightest, 200) << level;
        EXPECT_LT(pixelAt(image, 760, row - 8).green, 120) << level;
        EXPECT_LT(pixelAt(image, 760, row + 8).green, 120) << level;
    }
}

TEST_F(WaveformPanel, LeavesTheRestAndShowsThePictureThrough) {
    constexpr float kRed[3] = {1, 0, 0};
    StreamRenderer renderer(UploadPath::Direct);
    upload(renderer, 500);
    Waveform waveform;
    const Canvas canvas(1000, 1000);
    clearTarget(canvas.width(), canvas.height(), kRed);
    TargetPart part = wholeOf(canvas);
    part.area = part.clip = {0, 0, 500, 1000};  // panel: 210 wide, to 487 (13 from the edge), from 627
    waveform.draw(renderer.picture(), part);
    const RgbaImage image = canvas.read();
    expectNear(pixelAt(image, 270, 800), {255, 0, 0}, 0, "left of it");
    expectNear(pixelAt(image, 495, 800), {255, 0, 0}, 0, "right of it");
    expectNear(pixelAt(image, 380, 600), {255, 0, 0}, 0, "above it");
    expectNear(pixelAt(image, 380, 985), {71, 0, 0}, 2, "its background");
}

TEST_F(WaveformPanel, NeedsRoom) {
    constexpr float kRed[3] = {1, 0, 0};
    StreamRenderer renderer(UploadPath::Direct);
    upload(renderer, 500);
    const Canvas canvas(100, 60);
    clearTarget(canvas.width(), canvas.height(), kRed);
    Waveform().draw(renderer.picture(), wholeOf(canvas));
    const RgbaImage image = canvas.read();
    for (int y = 0; y < canvas.height(); ++y) {
        expectNear(pixelAt(image, 80, y), {255, 0, 0}, 0, "row " + std::to_string(y));
    }
}

TEST_F(WaveformPanel, CountsPartOfLargePictures) {
    StreamRenderer renderer(UploadPath::Direct);
    const VideoFormat format = namedFormat(3840, 2160, PixelFormat::gray);
    const std::vector<std::byte> payload(format.payloadBytes, std::byte{77});
    renderer.upload(format, payload.data());
    WaveformCounts waveform;
    waveform.count(renderer.picture());
    std::vector<float> counts(std::size_t{waveform.columns()} * waveform.levels());
    glBindTexture(GL_TEXTURE_2D, waveform.texture());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, counts.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    double all = 0;
    for (std::size_t column = 0; column < waveform.columns(); ++column) {
        all += counts[77 * waveform.columns() + column];
    }
    EXPECT_EQ(all, waveform.perColumn() * waveform.columns());
    EXPECT_LE(all, WaveformCounts::kMostSamples);
    EXPECT_EQ(3840 / waveform.columns(), 2160 / waveform.perColumn());
}

}  // namespace
}  // namespace verbcast::testing
