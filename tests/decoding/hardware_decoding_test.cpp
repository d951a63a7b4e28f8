// Files decoded by VAAPI: the real libva and FFmpeg's own hwaccel, over a driver double that decodes MPEG-2.
// The reference is the ffmpeg program, which decodes in software.
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/decoding/double_display.h"

namespace verbcast::testing {
namespace {

constexpr int kFrames = 30;

class HardwareDecoding : public FfmpegTest {
  protected:
    static void SetUpTestSuite() { screen_ = std::make_unique<Xvfb>("64x64x24"); }
    static void TearDownTestSuite() { screen_.reset(); }
    void SetUp() override {
        FfmpegTest::SetUp();
        environment_.emplace(doubleVariables(screen_->display()));
        for (const char* name :
             {"VA_DOUBLE_FAIL", "VA_DOUBLE_PROFILES", "VA_DOUBLE_LARGEST", "VA_DOUBLE_LOG"}) {
            environment_->set(name, "");
        }
    }

    /// "vaEndPicture:8": see va_double.h. Affects sources that are opened later.
    void fail(const std::string& call) { environment_->set("VA_DOUBLE_FAIL", call); }

    /// A moving picture in MPEG-2 with two B pictures between reference pictures, in groups of 12.
    std::string clip(const std::string& name, const std::string& more = {}) {
        const std::string path = file(name);
        ffmpeg("-f lavfi -i testsrc2=s=192x128:r=25 -frames:v " + std::to_string(kFrames) +
               " -c:v mpeg2video -b:v 1M -g 12 -bf 2 " + more + " " + path);
        return path;
    }
    static std::vector<FrameSum> expected(const std::string& path, const std::string& format = "nv12") {
        return ffmpegFrameSums("-i " + path + " -pix_fmt " + format);
    }
    static std::unique_ptr<FrameSource> open(const std::string& path, Decoder decoder = Decoder::Vaapi) {
        return openSource({.source = path, .decoder = decoder});
    }
    static bool hasNote(const FrameSource& source, const std::string& part) {
        return std::ranges::any_of(
            source.notes(), [&](const std::string& note) { return note.find(part) != std::string::npos; });
    }

    std::optional<Environment> environment_;

  private:
    static inline std::unique_ptr<Xvfb> screen_;
};

TEST_F(HardwareDecoding, IsExactAndCopiesNothing) {
    for (const char* name : {"clip.mpg", "clip.mkv", "clip.m2v", "clip.ts"}) {
        SCOPED_TRACE(name);
        const std::string path = clip(name);
        const auto source = open(path);
        EXPECT_EQ(source->describe(), "file " + path + " (mpeg2video by vaapi)");
        EXPECT_EQ(takeSums(*source), expected(path));
        EXPECT_EQ(source->counters().pixelCopies, 0U) << "the transfer goes into the slot";
        ASSERT_NE(source->decoding(), nullptr);
        EXPECT_EQ(*source->decoding(),
                  (DecodingStats{"vaapi", "mpeg2video", "as --decoder says", std::uint64_t{kFrames}}));
        EXPECT_TRUE(source->notes().empty());
    }
}

TEST_F(HardwareDecoding, IsTakenByItself) {
    const std::string path = clip("clip.mpg");
    const auto source = open(path, Decoder::Auto);
    EXPECT_EQ(source->decoding()->decoder, "vaapi");
    EXPECT_EQ(source->decoding()->reason, "it decodes this file");
    EXPECT_EQ(takeSums(*source), expected(path));
    const auto plain = open(path, Decoder::Software);
    EXPECT_EQ(*plain->decoding(), (DecodingStats{"software", "mpeg2video", "as --decoder says", 0}));
    EXPECT_EQ(takeSums(*plain), expected(path, "yuv420p"));
}

TEST_F(HardwareDecoding, PicturesAreConvertedAsAny) {
    const std::string path = clip("clip.mpg");
    const auto source =
        openSource({.source = path, .pixelFormat = PixelFormat::yuv420p, .decoder = Decoder::Vaapi});
    EXPECT_EQ(takeSums(*source), expected(path, "yuv420p"));
    EXPECT_EQ(source->counters().pixelCopies, std::uint64_t{kFrames});
}

TEST_F(HardwareDecoding, ConsumersMayHoldTheirSlots) {
    const std::string path = clip("clip.mpg");
    const auto source = openSource({.source = path, .slots = 4, .decoder = Decoder::Vaapi});
    const auto sums = expected(path);
    const Event never;
    std::vector<CapturedFrame> held;
    for (const FrameSum& sum : sums) {
        CapturedFrame frame;
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
        EXPECT_EQ(sumOf(frame), sum);
        held.push_back(std::move(frame));
        if (held.size() == 4) {
            EXPECT_EQ(sumOf(held.front()), sums.at(static_cast<std::size_t>(&sum - sums.data()) - 3));
            held.erase(held.begin());
        }
    }
    EXPECT_EQ(source->counters().pixelCopies, 0U);
}

TEST_F(HardwareDecoding, PartsAndPlacesAreThoseOfSoftware) {
    const std::string path = clip("clip.mkv");
    using std::chrono::milliseconds;
    const auto part = openSource(
        {.source = path, .start = milliseconds(400), .length = milliseconds(300), .decoder = Decoder::Vaapi});
    EXPECT_EQ(takeSums(*part), ffmpegFrameSums("-ss 0.4 -t 0.3 -i " + path + " -pix_fmt nv12"));
    EXPECT_EQ(part->decoding()->fromDevice, 8U) << "pictures that are passed over stay on the device";

    const auto source = open(path);
    const auto sums = expected(path);
    const Event never;
    CapturedFrame frame;
    for (const int second : {20, 3, 17, 29}) {
        source->playback()->seek(milliseconds(40 * second));
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
        EXPECT_EQ(sumOf(frame).md5, sums.at(static_cast<std::size_t>(second)).md5);
    }
    source->playback()->stepBack(1);
    ASSERT_EQ(source->capture(frame, never), Status::Ok);
    EXPECT_EQ(sumOf(frame).md5, sums.at(28).md5);
    source->playback()->seek(milliseconds(9000));
    ASSERT_EQ(source->capture(frame, never), Status::Ok);
    EXPECT_EQ(sumOf(frame).md5, sums.back().md5) << "behind the end is the last picture";
    EXPECT_EQ(source->decoding()->decoder, "vaapi");
}

struct Failure {
    std::string call;
    std::string after;
};
void PrintTo(const Failure& failure, std::ostream* out) {
    *out << failure.call << failure.after;
}

class FailingHardware : public HardwareDecoding, public ::testing::WithParamInterface<Failure> {
  protected:
    void expectNothingLost(const std::string& path) {
        fail(GetParam().call + ":" + GetParam().after);
        const auto source = open(path);
        const VideoFormat format = source->format();
        EXPECT_EQ(format.pixelFormat, PixelFormat::nv12);
        EXPECT_EQ(takeSums(*source), expected(path));
        EXPECT_EQ(source->format(), format) << "who records goes on in the same file";
        EXPECT_EQ(source->decoding()->decoder, "software");
        EXPECT_NE(source->decoding()->reason.find("vaapi failed: "), std::string::npos);
        EXPECT_TRUE(hasNote(*source, "the decoder vaapi failed ("));
        EXPECT_LT(source->decoding()->fromDevice, std::uint64_t{kFrames});
        EXPECT_GT(source->decoding()->fromDevice, 0U);
        EXPECT_EQ(source->counters().packetsUndecodable + source->counters().framesDamaged, 0U);
    }
};

TEST_P(FailingHardware, GoesOnInSoftwareWithNothingLostOrDoubled) {
    expectNothingLost(clip("clip.mkv"));
    expectNothingLost(clip("clip.m2v"));  // without time stamps
    expectNothingLost(clip("closed.mkv", "-flags +cgop -sc_threshold 1000000000"));
}

TEST_P(FailingHardware, GoesOnAfterASeek) {
    const std::string path = clip("clip.mkv");
    const auto sums = expected(path);
    const auto source = open(path);
    const Event never;
    CapturedFrame frame;
    ASSERT_EQ(source->capture(frame, never), Status::Ok);
    source->playback()->seek(std::chrono::milliseconds(400));
    for (std::size_t i = 10; i < sums.size(); ++i) {
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
        EXPECT_EQ(sumOf(frame).md5, sums[i].md5) << i;
    }
    EXPECT_EQ(source->capture(frame, never), Status::Closed);
}

INSTANTIATE_TEST_SUITE_P(At, FailingHardware,
                         ::testing::Values(Failure{"vaBeginPicture", "3"}, Failure{"vaBeginPicture", "13"},
                                           Failure{"vaRenderPicture", "40"}, Failure{"vaCreateBuffer", "70"},
                                           Failure{"vaEndPicture", "3"}, Failure{"vaEndPicture", "12"},
                                           Failure{"vaEndPicture", "13"}, Failure{"vaEndPicture", "14"},
                                           Failure{"vaEndPicture", "24"}, Failure{"vaEndPicture", "29"},
                                           Failure{"vaEndPicture", "9:1"}, Failure{"vaSyncSurface", "1"},
                                           Failure{"vaSyncSurface", "11"}, Failure{"vaSyncSurface", "12"},
                                           Failure{"vaSyncSurface", "29"}, Failure{"vaGetImage", "17"},
                                           Failure{"vaMapBuffer", "25"}, Failure{"vaSyncSurface", "20:1"}),
                         [](const auto& failure) {
                             std::string name = failure.param.call + failure.param.after;
                             std::ranges::replace(name, ':', '_');
                             return name;
                         });

TEST_F(HardwareDecoding, AFailureAtTheFirstPictureIsToldAndBridged) {
    const std::string path = clip("clip.mpg");
    for (const char* call : {"vaEndPicture:0", "vaSyncSurface:0"}) {
        fail(call);
        const auto source = open(path);
        EXPECT_EQ(source->decoding()->decoder, "software") << call;
        EXPECT_TRUE(hasNote(*source, "software decodes from here on")) << call;
        EXPECT_EQ(takeSums(*source), expected(path, "yuv420p"))
            << "no picture of another format has been sent";
    }
}

TEST_F(HardwareDecoding, ALoopGoesOnInSoftware) {
    const std::string path = clip("clip.mkv");
    fail("vaEndPicture:40");
    const auto source = openSource({.source = path, .loop = true, .decoder = Decoder::Vaapi});
    const auto sums = expected(path);
    const auto laps = takeSums(*source, sums.size() * 3);
    ASSERT_EQ(laps.size(), sums.size() * 3);
    for (std::size_t i = 0; i < laps.size(); ++i) {
        EXPECT_EQ(laps[i].md5, sums[i % sums.size()].md5) << i;
        EXPECT_EQ(laps[i].pts, static_cast<std::int64_t>(i));
    }
    EXPECT_TRUE(hasNote(*source, "the decoder vaapi failed"));
}

TEST_F(HardwareDecoding, DamagedFilesArePlayedAsSoftwarePlaysThem) {
    const std::string path = clip("clip.mkv");
    std::fstream damaged(path, std::ios::in | std::ios::out | std::ios::binary | std::ios::ate);
    const auto size = damaged.tellp();
    damaged.seekp(size / 2);
    const std::string junk(400, '\x5A');
    damaged.write(junk.data(), static_cast<std::streamsize>(junk.size()));
    damaged.close();
    environment_->set("VA_DOUBLE_LOG", file("log"));
    const auto source =
        openSource({.source = path, .pixelFormat = PixelFormat::nv12, .decoder = Decoder::Vaapi});
    const auto plain =
        openSource({.source = path, .pixelFormat = PixelFormat::nv12, .decoder = Decoder::Software});
    const auto sums = takeSums(*plain);
    const auto taken = takeSums(*source);
    ASSERT_EQ(taken.size(), sums.size());
    if (source->decoding()->decoder == "software") {
        EXPECT_EQ(taken, sums);
    }
}

// A device is not asked again for a format that it refused.
TEST_F(HardwareDecoding, AutoFallsBackWithTheReason) {
    const std::string mpeg = clip("clip.mpg");
    environment_->set("VA_DOUBLE_PROFILES", "none");
    const auto source = open(mpeg, Decoder::Auto);
    EXPECT_EQ(source->decoding()->decoder, "software");
    EXPECT_NE(source->decoding()->reason.find("vaapi does not take mpeg2video Main of 192x128"),
              std::string::npos)
        << source->decoding()->reason;
    EXPECT_TRUE(source->notes().empty()) << "a machine that lacks it is no reason to worry anybody";
    EXPECT_EQ(takeSums(*source), expected(mpeg, "yuv420p"));
    EXPECT_EQ(source->counters().pixelCopies, 0U) << "software decodes in place as ever";

    environment_->set("VA_DOUBLE_PROFILES", "");
    environment_->set("VA_DOUBLE_LARGEST", "128");
    EXPECT_EQ(open(mpeg, Decoder::Auto)->decoding()->decoder, "software");
    environment_->set("VA_DOUBLE_LARGEST", "");
    const std::string other = file("clip.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=192x128:r=25 -frames:v 9 -c:v libx264 -pix_fmt yuv420p " + other);
    const auto h264 = open(other, Decoder::Auto);
    EXPECT_NE(h264->decoding()->reason.find("vaapi does not take h264 High"), std::string::npos)
        << h264->decoding()->reason;
    EXPECT_EQ(takeSums(*h264), expected(other, "yuv420p"));
    const std::string exotic = file("clip.nut");
    ffmpeg("-f lavfi -i testsrc2=s=192x128:r=25 -frames:v 3 -c:v ffv1 -pix_fmt yuv420p " + exotic);
    EXPECT_NE(open(exotic, Decoder::Auto)->decoding()->reason.find("without vaapi for ffv1"),
              std::string::npos);
}

/// The error of an explicitly selected decoder.
std::optional<Error> refusal(const std::string& path, Decoder decoder) {
    try {
        static_cast<void>(openSource({.source = path, .decoder = decoder}));
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

void expectRefusal(const std::string& path, Decoder decoder, const std::string& part,
                   const std::string& remedy) {
    const auto error = refusal(path, decoder);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::Device);
    EXPECT_NE(std::string(error->what()).find("--decoder " + std::string(nameOf(decoder))), std::string::npos)
        << error->what();
    EXPECT_NE(std::string(error->what()).find(part), std::string::npos) << error->what();
    EXPECT_NE(error->remedy().find(remedy), std::string::npos) << error->remedy();
}

TEST_F(HardwareDecoding, ANamedOneThatIsMissingIsAnError) {
    const std::string path = clip("clip.mpg");
    environment_->set("VA_DOUBLE_PROFILES", "none");
    expectRefusal(path, Decoder::Vaapi, "vaapi does not take mpeg2video Main of 192x128",
                  "leave out --decoder");
    fail("vaInitialize:0");
    expectRefusal(path, Decoder::Vaapi, "Failed to initialise VAAPI connection", "mesa-va-drivers");
    environment_->set("LIBVA_DRIVER_NAME", "");
    environment_->set("DISPLAY", "");
    for (const HardwareDecoder& here : hardwareDecoders()) {
        if (here.works) {
            continue;  // a machine that has such hardware
        }
        const bool builtIn = !here.codecs.empty();
        expectRefusal(path, here.decoder,
                      builtIn ? here.reason : "was built without " + std::string(nameOf(here.decoder)),
                      "auto takes what there is");
    }
}

}  // namespace
}  // namespace verbcast::testing
