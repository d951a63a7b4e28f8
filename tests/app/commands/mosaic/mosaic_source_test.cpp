// The pixels of a mosaic, against ffmpeg's filters.
#include "app/commands/compose/mosaic/mosaic_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/render/gl_support.h"
#include "tests/support/expectations.h"
#include "tests/support/ffmpeg_program.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/patience.h"
#include "tests/support/required_package.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

const std::string kAccurately =
    ":flags=bilinear+accurate_rnd+full_chroma_int+full_chroma_inp,format=rgba64le,format=rgba";

class MosaicSourceTest : public GlTest {
  protected:
    void SetUp() override {
        GlTest::SetUp();
        if (!IsSkipped() && !hasFfmpeg()) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "ffmpeg is missing";
        }
        closeContext();
    }

    /// A file with one picture of that source of ffmpeg's.
    std::string picture(const std::string& graph, const std::string& pixelFormat) {
        const std::string path = files_.file(fmt::format("{}.nut", ++made_));
        ffmpeg({"-f", "lavfi", "-i", graph, "-frames:v", "1", "-pix_fmt", pixelFormat, "-c:v", "rawvideo",
                path});
        return path;
    }
    /// What ffmpeg makes of the inputs.
    std::string expected(const std::vector<std::string>& inputs, const std::string& filter,
                         const std::string& pixelFormat = "rgba") {
        std::vector<std::string> arguments;
        for (const std::string& input : inputs) {
            arguments.insert(arguments.end(), {"-i", input});
        }
        const std::string path = files_.file("expected");
        for (const char* const word :
             {"-sws_flags", "accurate_rnd+full_chroma_int+bilinear", "-filter_complex", filter.c_str(),
              "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pixelFormat.c_str(), "-"}) {
            arguments.emplace_back(word);
        }
        return ffmpeg(arguments);
    }
    static std::string rawOf(const std::string& path) {
        return ffmpeg({"-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgba", "-"});
    }
    /// The upper over the lower, rounded once.
    static std::string blended(std::string lower, const std::string& upper) {
        for (std::size_t i = 0; i < lower.size(); ++i) {
            const int alpha = static_cast<unsigned char>(upper[i | 3]);
            const int below = static_cast<unsigned char>(lower[i]),
                      above = static_cast<unsigned char>(upper[i]);
            lower[i] =
                static_cast<char>(i % 4 == 3 ? 255 : (below * (255 - alpha) + above * alpha + 127) / 255);
        }
        return lower;
    }
    /// x2rgb10le from gbrp10le, which swscale would not do without a loss.
    static std::string packed(const std::string& planes) {
        const auto at = [&](std::size_t index) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(planes[2 * index]) |
                                              static_cast<unsigned char>(planes[2 * index + 1]) << 8);
        };
        std::string pixels;
        const std::size_t count = planes.size() / 6;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t pixel = at(2 * count + i) << 20 | at(i) << 10 | at(count + i);
            for (const int shift : {0, 8, 16, 24}) {
                pixels += static_cast<char>(pixel >> shift & 0xffU);
            }
        }
        return pixels;
    }
    static MosaicOptions options(const std::vector<std::string>& inputs, const char* layout,
                                 PictureSize size) {
        MosaicOptions options;
        options.inputs = inputs;
        options.layout = &layoutNamed(layout);
        options.size = size;
        options.pacing = Pacing::Rate;
        options.rate = {30, 1};
        options.pixelFormat = PixelFormat::rgba;
        options.loop = true;
        return options;
    }
    /// Components of a picture.
    static std::vector<int> codesOf(const unsigned char* bytes, std::size_t count, PixelFormat pixelFormat) {
        if (pixelFormat != PixelFormat::x2rgb10le) {
            return {bytes, bytes + count};
        }
        std::vector<int> codes;
        for (std::size_t at = 0; at + 4 <= count; at += 4) {
            const std::uint32_t pixel = bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 |
                                        static_cast<std::uint32_t>(bytes[at + 3]) << 24;
            for (const int shift : {0, 10, 20}) {
                codes.push_back(static_cast<int>(pixel >> shift & 0x3ffU));
            }
        }
        return codes;
    }
    /// The largest difference of a component from what is expected, once all inputs have come.
    static int difference(const MosaicOptions& options, const std::string& expected) {
        const auto wanted = codesOf(reinterpret_cast<const unsigned char*>(expected.data()), expected.size(),
                                    *options.pixelFormat);
        MosaicSource source(options);
        const Event never;
        int least = 1024;
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (least > 2 && std::chrono::steady_clock::now() < deadline) {
            CapturedFrame frame;
            EXPECT_EQ(source.capture(frame, never), Status::Ok);
            EXPECT_EQ(frame.format.payloadBytes, expected.size());
            if (frame.format.payloadBytes != expected.size()) {
                break;
            }
            const auto codes = codesOf(reinterpret_cast<const unsigned char*>(frame.lease.data()),
                                       expected.size(), *options.pixelFormat);
            int most = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                most = std::max(most, std::abs(codes[i] - wanted[i]));
            }
            least = std::min(least, most);
        }
        return least;
    }

    TemporaryFolder files_;

  private:
    int made_ = 0;
};

TEST_F(MosaicSourceTest, AGridIsFfmpegsXstack) {
    std::vector<std::string> inputs;
    for (int i = 0; i < 6; ++i) {
        inputs.push_back(picture(fmt::format("testsrc2=size=64x36,hue=h={}", 60 * i), "rgba"));
    }
    EXPECT_EQ(difference(options(inputs, "grid", {192, 72}),
                         expected(inputs, "xstack=inputs=6:layout=0_0|w0_0|w0+w1_0|0_h0|w0_h0|w0+w1_h0")),
              0);
}

TEST_F(MosaicSourceTest, AlphaIsFfmpegsOverlay) {
    const std::string below = picture("testsrc2=size=128x72", "rgba");
    const std::string straight = picture(
        "testsrc2=size=128x72,hue=h=90,format=rgba,geq=r='r(X,Y)':g='g(X,Y)':"
        "b='b(X,Y)':a='2*X'",
        "rgba");
    MosaicOptions over = options({below, straight}, "free", {128, 72});
    over.panes = parsePanes("1:0,0,100;2:0,0,100,alpha");
    const std::string overlay = expected({below, straight}, "[0]format=gbrp[a];[a][1]overlay=format=gbrp");
    EXPECT_LE(difference(over, overlay), 2) << "both round";
    EXPECT_LE(difference(over, blended(rawOf(below), rawOf(straight))), 1);

    const std::string multiplied = picture(
        "testsrc2=size=128x72,hue=h=90,format=rgba,geq=r='r(X,Y)*2*X/255':g='g(X,Y)*2*X/255':"
        "b='b(X,Y)*2*X/255':a='2*X'",
        "rgba");
    over.inputs[1] = multiplied;
    over.panes = parsePanes("1:0,0,100;2:0,0,100,premultiplied");
    EXPECT_LE(difference(over, overlay), 2) << "both round";
}

TEST_F(MosaicSourceTest, ScaledAndCroppedPanesAreSwscales) {
    // Smooth, for filters differ in how they treat what is sharp.
    const std::string gradients =
        "gradients=size=128x72:x0=0:y0=0:x1=128:y1=72:c0=0x203040:c1=0x908878:nb_colors=2";
    for (const char* const pixelFormat : {"yuv420p", "yuv422p10le", "rgba"}) {
        SCOPED_TRACE(pixelFormat);
        const std::string input = picture(gradients, pixelFormat);
        MosaicOptions scaled = options({input}, "free", {96, 54});
        scaled.panes = parsePanes("1:0,0,100");
        EXPECT_LE(difference(scaled, expected({input}, "scale=96:54" + kAccurately)), 2);
        MosaicOptions cropped = options({input}, "free", {64, 36});
        cropped.panes = parsePanes("1:0,0,100,height=100,crop=25/50/50/50");
        EXPECT_LE(difference(cropped, expected({input}, "scale=128:72" + kAccurately + ",crop=64:36:32:36")),
                  2);
    }
}

TEST_F(MosaicSourceTest, EnlargedPanesAreSwscalesHoweverMuch) {
    const std::string input =
        picture("gradients=size=64x16:x0=0:y0=0:x1=64:y1=16:c0=0x203040:c1=0xE0D8C8:nb_colors=2", "rgba");
    EXPECT_LE(
        difference(options({input}, "grid", {320, 80}), expected({input}, "scale=320:80" + kAccurately)), 2);
    // A hundredth of its width: all of it would be wider than OpenGL's viewports.
    const std::string wide =
        picture("gradients=size=1600x16:x0=0:y0=0:x1=1600:y1=16:c0=0x203040:c1=0xE0D8C8:nb_colors=2", "rgba");
    MosaicOptions cropped = options({wide}, "free", {512, 64});
    cropped.panes = parsePanes("1:0,0,100,height=100,crop=50/25/1/12.5");
    EXPECT_LE(difference(cropped, expected({wide}, "crop=40:16:788:0,scale=1280:512" + kAccurately +
                                                       ",crop=512:64:384:128")),
              2);
}

TEST_F(MosaicSourceTest, ASingleInputHasItsPlaceToo) {
    const std::string input = picture("color=red:size=64x36,format=rgb24", "rgba");
    MosaicOptions one = options({input}, "grid", {128, 128});
    one.gap = 8;
    one.colour = *colourIn("14181f");
    EXPECT_LE(difference(one, expected({input}, "scale=112:63,pad=128:128:8:32:0x14181f")), 2);
}

TEST_F(MosaicSourceTest, TimeGoesOnWhereTheRateIsNotKept) {
    const std::string input = picture("color=red:size=64x36", "rgba");
    const MosaicOptions one = options({input}, "grid", {64, 36});  // outlives what it is given to
    MosaicSource source(one);
    const Event never;
    CapturedFrame frame;
    ASSERT_EQ(source.capture(frame, never), Status::Ok);
    const std::int64_t first = frame.pts;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // as if it drew so long
    ASSERT_EQ(source.capture(frame, never), Status::Ok);
    EXPECT_GE(frame.pts - first, 5) << "of 30 a second";
}

/// Lines for a mosaic that runs in this process.
class CommandedMosaic : public MosaicSourceTest {
  protected:
    CommandedMosaic() {
        ::dup2(control_.reading.get(), STDIN_FILENO);
        control_.reading.reset();
    }
    ~CommandedMosaic() override { ::dup2(before_.get(), STDIN_FILENO); }
    void command(const std::string& lines) const {
        ASSERT_EQ(::write(control_.writing.get(), lines.data(), lines.size()),
                  static_cast<ssize_t>(lines.size()));
    }
    std::string flat(const char* colour) {
        return picture(fmt::format("color={}:size=64x36,format=rgb24", colour), "rgba");
    }
    /// The colour in the middle of its next picture.
    static std::uint32_t nextColour(MosaicSource& source) {
        const Event never;
        CapturedFrame frame;
        EXPECT_EQ(source.capture(frame, never), Status::Ok);
        const VideoFormat& format = frame.format;
        const auto* const pixel = reinterpret_cast<const unsigned char*>(frame.lease.data()) +
                                  std::size_t{format.planes[0].stride} * (format.height / 2) +
                                  std::size_t{4} * (format.width / 2);
        return std::uint32_t{pixel[0]} << 16 | std::uint32_t{pixel[1]} << 8 | pixel[2];
    }
    static bool becomes(MosaicSource& source, std::uint32_t rgb) {
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (nextColour(source) != rgb) {
            if (HasFailure() || std::chrono::steady_clock::now() > deadline) {
                return false;
            }
        }
        return true;
    }

  private:
    const UniqueFd before_{::dup(STDIN_FILENO)};
    KernelPipe control_;
};

TEST_F(CommandedMosaic, TheInputInFocusStaysThereWhenItsNumberChanges) {
    MosaicOptions three = options({flat("red"), flat("lime"), flat("blue")}, "pip", {256, 144});
    three.commanded = true;
    three.focus = 2;
    MosaicSource source(three);
    EXPECT_TRUE(becomes(source, 0x0000ff));
    command("remove 1\n\n");
    do {
        EXPECT_EQ(nextColour(source), 0x0000ffU);
    } while (!HasFailure() && !source.describe().starts_with("2 inputs"));
}

TEST_F(CommandedMosaic, NothingIsLeftOfTheLastInput) {
    MosaicOptions one = options({flat("red")}, "grid", {64, 36});
    one.commanded = true;
    one.colour = *colourIn("102030");
    MosaicSource source(one);
    EXPECT_TRUE(becomes(source, 0xff0000));
    command("remove 1\n");
    EXPECT_TRUE(becomes(source, 0x102030));
}

TEST_F(MosaicSourceTest, ColoursStayWhereDriversHaveShortcuts) {
    // llvmpipe draws whole tiles of 64x64 in another way than the rest: see shaders/packed_rgb.glsl.
    for (const char* const pixelFormat : {"rgba", "bgra", "yuv444p"}) {
        SCOPED_TRACE(pixelFormat);
        const std::string input = picture("color=yellow:size=640x360,format=rgb24", pixelFormat);
        EXPECT_LE(difference(options({input}, "grid", {400, 225}),
                             expected({input}, "scale=400:225" + kAccurately)),
                  2);
    }
}

TEST_F(MosaicSourceTest, TenBitsStay) {
    const std::string input = picture("testsrc2=size=64x36,format=gbrp10le", "gbrp10le");
    MosaicOptions ten = options({input}, "grid", {64, 36});
    ten.pixelFormat = PixelFormat::x2rgb10le;
    EXPECT_EQ(difference(ten, packed(expected({input}, "null", "gbrp10le"))), 0);
}

TEST_F(MosaicSourceTest, OnlyWhatIsNewHasChanged) {
    const std::string still = picture("testsrc2=size=64x36", "rgba");
    MosaicOptions one = options({still, files_.file("missing/clip.nut")}, "side", {128, 36});
    EXPECT_TRUE(contains(thrownBy([&] { const MosaicSource source(one); }).what(), "clip.nut"));
    one.inputs[1] = "shm://nobody-sends-here";
    one.loop = false;
    MosaicSource source(one);
    const Event never;
    CapturedFrame frame;
    bool quiet = false;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!quiet && std::chrono::steady_clock::now() < deadline) {
        ASSERT_EQ(source.capture(frame, never), Status::Ok);
        quiet = frame.changed.isNone();
    }
    EXPECT_TRUE(quiet);
    EXPECT_EQ(std::to_integer<int>(frame.lease.data()[3]), 255) << "opaque";
    EXPECT_LE(frame.capturedAt, nowNs());
}

TEST_F(MosaicSourceTest, EndsWithItsLastInputAndShowsItsLastPicture) {
    const std::string input = picture("color=red:size=64x36", "rgba");
    MosaicOptions once = options({input}, "grid", {64, 36});
    once.loop = false;
    MosaicSource source(once);
    const Event never;
    CapturedFrame frame;
    std::byte red{};
    int frames = 0;
    Status status = Status::Ok;
    while ((status = source.capture(frame, never)) == Status::Ok) {
        red = frame.lease.data()[0];
        ASSERT_LT(++frames, 10'000);
    }
    EXPECT_EQ(status, Status::Closed);
    EXPECT_GE(std::to_integer<int>(red), 0xfd);
    EXPECT_EQ(source.counters().packetsUndecodable, 0U);
}

TEST_F(MosaicSourceTest, TellsOfDamagedInputs) {
    const std::string path = files_.file("cut.mkv");
    ffmpeg({"-f", "lavfi", "-i", "testsrc2=size=64x36:rate=100", "-frames:v", "50", "-c:v", "libx264", "-g",
            "10", "-pix_fmt", "yuv420p", path});
    std::filesystem::resize_file(path, std::filesystem::file_size(path) * 6 / 10);
    MosaicOptions once = options({path}, "grid", {64, 36});
    once.loop = false;
    MosaicSource source(once);
    const Event never;
    CapturedFrame frame;
    while (source.capture(frame, never) == Status::Ok) {
    }
    EXPECT_GT(source.counters().framesDamaged + source.counters().packetsUndecodable, 0U);
}

}  // namespace
}  // namespace verbcast::testing
