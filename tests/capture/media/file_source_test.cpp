#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tests/capture/ffmpeg_reference.h"

namespace verbcast::testing {
namespace {

/// FFmpeg's moving test picture; it only has even sizes, so odd ones are cropped from a larger one.
std::string clip(const std::string& size, int frames, const std::string& moreInputs = {}) {
    int width = 0, height = 0;
    std::sscanf(size.c_str(), "%dx%d", &width, &height);
    return "-f lavfi -i testsrc2=s=" + std::to_string(width + width % 2) + 'x' +
           std::to_string(height + height % 2) + ":r=25,format=rgb24,crop=" + std::to_string(width) + ':' +
           std::to_string(height) + ":0:0 " + moreInputs + " -frames:v " + std::to_string(frames) + ' ';
}

struct CodecCase {
    std::string name, encoder, extension, pixelFormat;
    bool inPlace;  // decoded straight into the pool
};
void PrintTo(const CodecCase& codec, std::ostream* out) {
    *out << codec.name;
}

class Codecs : public FfmpegTest, public ::testing::WithParamInterface<CodecCase> {};

TEST_P(Codecs, MatchFramemd5) {
    for (const std::string size : {"64x48", "128x96", "322x182"}) {
        SCOPED_TRACE(size);
        const std::string path = file("clip" + size + GetParam().extension);
        ffmpeg(clip(size, 12) + GetParam().encoder + " " + path);
        const auto source = openSource({.source = path});
        EXPECT_EQ(pixelFormatName(source->format().pixelFormat), GetParam().pixelFormat);
        EXPECT_TRUE(source->notes().empty());
        EXPECT_FALSE(source->isLive());
        const auto sums = takeSums(*source);
        EXPECT_EQ(sums, ffmpegFrameSums("-i " + path));
        EXPECT_EQ(sums.size(), 12U);
        EXPECT_EQ(source->counters().frames, 12U);
        // Where nothing has changed, this one gives the same buffer again, which has to be copied.
        std::uint64_t repeated = 0;
        for (std::size_t i = 1; i < sums.size() && GetParam().name == "qtrle"; ++i) {
            repeated += sums[i - 1].md5 == sums[i].md5 ? 1 : 0;
        }
        EXPECT_EQ(source->counters().pixelCopies, GetParam().inPlace ? repeated : 12U);
        EXPECT_EQ(source->counters().framesDamaged + source->counters().packetsUndecodable, 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, Codecs,
    ::testing::Values(
        CodecCase{"h264", "-c:v libx264 -preset veryfast -pix_fmt yuv444p -bf 3 -g 6", ".mp4", "yuv444p",
                  true},
        CodecCase{"h264_420", "-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 3", ".mkv", "yuv420p",
                  true},
        CodecCase{"h264_422p10", "-c:v libx264 -preset veryfast -pix_fmt yuv422p10le", ".mp4", "yuv422p10le",
                  true},
        CodecCase{"hevc_420p10",
                  "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p10le", ".mkv",
                  "yuv420p10le", true},
        CodecCase{"mpeg2", "-c:v mpeg2video -bf 2 -b:v 2M", ".ts", "yuv420p", true},
        CodecCase{"mpeg4", "-c:v mpeg4 -bf 2", ".avi", "yuv420p", true},
        CodecCase{"vp9", "-c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv420p", ".webm", "yuv420p", true},
        CodecCase{"ffv1_420", "-c:v ffv1 -pix_fmt yuv420p", ".mkv", "yuv420p", true},
        CodecCase{"ffv1_444p10", "-c:v ffv1 -pix_fmt yuv444p10le", ".mkv", "yuv444p10le", true},
        CodecCase{"ffv1_gray", "-c:v ffv1 -pix_fmt gray", ".mkv", "gray", true},
        CodecCase{"ffv1_bgra", "-c:v ffv1 -pix_fmt bgra", ".mkv", "bgra", true},
        CodecCase{"mjpeg", "-c:v mjpeg -pix_fmt yuvj422p", ".mov", "yuv422p", true},
        CodecCase{"prores", "-c:v prores_ks -pix_fmt yuv422p10le", ".mov", "yuv422p10le", true},
        CodecCase{"png_rgb24", "-c:v png -pix_fmt rgb24", ".mov", "rgb24", true},
        CodecCase{"png_rgba", "-c:v png -pix_fmt rgba", ".mov", "rgba", true},
        CodecCase{"huffyuv", "-c:v ffvhuff -pix_fmt yuv422p", ".avi", "yuv422p", true},
        CodecCase{"v210", "-c:v v210", ".mov", "yuv422p10le", true},
        CodecCase{"qtrle", "-c:v qtrle -pix_fmt rgb24", ".mov", "rgb24", true},
        CodecCase{"rawvideo", "-c:v rawvideo -pix_fmt nv12", ".nut", "nv12", false}),
    [](const auto& test) { return test.param.name; });

class RawFormats : public FfmpegTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(RawFormats, MatchFramemd5) {
    for (const std::string size : {"64x48", "127x95"}) {
        SCOPED_TRACE(size);
        const std::string path = file("clip" + size + ".nut");
        ffmpeg(clip(size, 3) + "-c:v rawvideo -pix_fmt " + GetParam() + " " + path);
        const auto source = openSource({.source = path});
        EXPECT_EQ(pixelFormatName(source->format().pixelFormat), GetParam());
        const auto sums = takeSums(*source);
        EXPECT_EQ(sums, ffmpegFrameSums("-i " + path));
        EXPECT_EQ(sums.size(), 3U);
    }
}

// NUT carries neither x2rgb10le nor p010le, and v210 is decoded to yuv422p10le.
INSTANTIATE_TEST_SUITE_P(All, RawFormats,
                         ::testing::Values("rgba", "bgra", "rgb24", "yuv420p", "nv12", "yuv422p", "uyvy422",
                                           "yuyv422", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le",
                                           "gray"),
                         [](const auto& test) { return test.param; });

class FileSourceTest : public FfmpegTest {};

TEST_F(FileSourceTest, OddSizes) {
    for (const std::string format : {"yuv420p", "yuv422p10le", "yuv444p"}) {
        const std::string path = file(format + ".mkv");
        ffmpeg(clip("127x95", 3) + "-c:v ffv1 -pix_fmt " + format + " " + path);
        const auto source = openSource({.source = path});
        EXPECT_EQ(source->format().width, 127U);
        EXPECT_EQ(source->format().height, 95U);
        EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-i " + path));
        EXPECT_EQ(source->counters().pixelCopies, 0U);
    }
}

TEST_F(FileSourceTest, CroppedPicturesStayInPlace) {
    const std::string whole = file("whole.mp4"), cropped = file("cropped.mp4");
    ffmpeg(clip("1920x1080", 3) + "-c:v libx264 -preset ultrafast -pix_fmt yuv420p " + whole);
    ffmpeg("-i " + whole +
           " -c copy -bsf:v h264_metadata=crop_left=64:crop_right=10:crop_top=6:crop_bottom=20 " + cropped);
    for (const auto& path : {whole, cropped}) {
        const auto source = openSource({.source = path});
        EXPECT_EQ(source->format().height, path == whole ? 1080U : 1062U);
        EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-i " + path));
        EXPECT_EQ(source->counters().pixelCopies, 0U);
    }
    const auto source = openSource({.source = cropped});
    EXPECT_GT(source->format().planes[0].offset, 0U);
    EXPECT_EQ(source->format().width, 1846U);
}

TEST_F(FileSourceTest, TraitsTravelWithTheFormat) {
    const std::string path = file("clip.mkv");
    ffmpeg(
        "-f lavfi -i testsrc2=s=128x96:r=30000/1001 -frames:v 4 -vf setsar=4/3 -c:v libx264 -pix_fmt "
        "yuv420p10le "
        "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv "
        "-chroma_sample_location topleft " +
        path);
    const auto source = openSource({.source = path});
    const VideoFormat& format = source->format();
    EXPECT_EQ(format.frameRate, (Rational{30000, 1001}));
    EXPECT_EQ(format.timeBase, (Rational{1001, 30000}));
    EXPECT_EQ(format.pixelAspect, (Rational{4, 3}));
    EXPECT_EQ(format.colour.primaries, 9);
    EXPECT_EQ(format.colour.transfer, 16);
    EXPECT_EQ(format.colour.matrix, 9);
    EXPECT_FALSE(format.colour.fullRange);
    EXPECT_EQ(format.colour.chromaLocation, 3);
    EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-i " + path));
}

TEST_F(FileSourceTest, FullRangeAndRgbAreTold) {
    const std::string jpeg = file("clip.mov"), png = file("picture.png");
    ffmpeg(clip("64x48", 2) + "-c:v mjpeg -pix_fmt yuvj420p " + jpeg);
    ffmpeg(clip("64x48", 1) + "-pix_fmt rgb24 " + png);
    EXPECT_TRUE(openSource({.source = jpeg})->format().colour.fullRange);
    EXPECT_TRUE(openSource({.source = png})->format().colour.fullRange);
    EXPECT_EQ(openSource({.source = png})->format().colour.matrix, 0);
}

// FFmpeg rotates pictures itself unless told not to: its output is the original rotated by our angle.
TEST_F(FileSourceTest, RotationTravels) {
    const std::string upright = file("upright.mp4");
    ffmpeg(clip("64x48", 3) + "-c:v mpeg4 -pix_fmt yuv420p " + upright);
    EXPECT_EQ(openSource({.source = upright})->format().rotation, 0);
    const std::map<int, std::string> turns{
        {90, "transpose=clock"}, {180, "transpose=clock,transpose=clock"}, {270, "transpose=cclock"}};
    std::set<int> seen;
    for (const int tag : {90, 180, 270}) {
        const std::string path = file("turned.mp4");
        ffmpeg("-i " + upright + " -c copy -metadata:s:v rotate=" + std::to_string(tag) + " " + path);
        const auto source = openSource({.source = path});
        const VideoFormat format = source->format();
        seen.insert(format.rotation);
        ASSERT_TRUE(turns.contains(format.rotation)) << format.rotation;
        EXPECT_EQ(ffmpegFrameSums("-i " + path),
                  ffmpegFrameSums("-noautorotate -i " + path + " -vf " + turns.at(format.rotation)));
        EXPECT_EQ(format.width, 64U);
        EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-noautorotate -i " + path));
    }
    EXPECT_EQ(seen, (std::set<int>{90, 180, 270}));
}

/// A JPEG picture with an EXIF header of which only the orientation matters.
std::string withOrientation(const std::string& jpeg, char orientation) {
    using namespace std::string_literals;
    const std::string exif =
        "Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s + orientation + "\0\0\0\0\0\0"s;
    return jpeg.substr(0, 2) + "\xff\xe1\0"s + static_cast<char>(exif.size() + 2) + exif + jpeg.substr(2);
}

TEST_F(FileSourceTest, RotationThatPicturesAskForTravels) {
    const std::string path = file("picture.jpg");
    ffmpeg(clip("64x48", 1) + path);
    std::ostringstream jpeg;
    jpeg << std::ifstream(path, std::ios::binary).rdbuf();
    for (const auto& [orientation, degrees] : std::map<char, int>{{1, 0}, {3, 180}, {6, 90}, {8, 270}}) {
        std::ofstream(path, std::ios::binary) << withOrientation(jpeg.str(), orientation);
        const auto source = openSource({.source = path});
        EXPECT_EQ(source->format().rotation, degrees);
        EXPECT_TRUE(source->notes().empty());
    }
    std::ofstream(path, std::ios::binary) << withOrientation(jpeg.str(), 2);
    const auto mirrored = openSource({.source = path});
    EXPECT_EQ(mirrored->format().rotation, 0) << "it would stand on its head";
    const auto notes = mirrored->notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes.front().find("a mirrored or tilted picture"), std::string::npos) << notes.front();
}

// The message comes with key pictures only, and holds for those that follow.
TEST_F(FileSourceTest, RotationThatAStreamAsksForTravels) {
    const std::string upright = file("upright.h264"), turned = file("turned.h264");
    ffmpeg(clip("64x48", 8) + "-c:v libx264 -pix_fmt yuv420p -g 4 -bf 0 " + upright);
    ffmpeg("-i " + upright + " -c copy -bsf:v h264_metadata=display_orientation=insert:rotate=90 " + turned);
    const auto source = openSource({.source = turned});
    EXPECT_EQ(source->format().rotation, 270) << "the message counts anticlockwise";
    const Event never;
    std::size_t pictures = 0;
    for (CapturedFrame frame; source->capture(frame, never) == Status::Ok; ++pictures) {
        EXPECT_EQ(frame.format.rotation, 270) << "picture " << pictures;
    }
    EXPECT_EQ(pictures, 8U);
}

TEST_F(FileSourceTest, OneOfSeveralVideoTracksIsChosen) {
    const std::string path = file("cameras.mkv");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -f lavfi -i smptebars=s=96x64:r=25 -map 0 -map 1 -frames:v 5 " +
           path);
    const auto usual = openSource({.source = path});
    ASSERT_EQ(usual->notes().size(), 1U);
    EXPECT_NE(usual->notes()[0].find("holds 2 video tracks (1: h264 64x48, 2: h264 96x64): "),
              std::string::npos)
        << usual->notes()[0];
    for (const std::uint32_t track : {1U, 2U}) {
        const auto chosen = openSource({.source = path, .videoTrack = track});
        EXPECT_TRUE(chosen->notes().empty());
        EXPECT_EQ(takeSums(*chosen),
                  ffmpegFrameSums("-i " + path + " -map 0:v:" + std::to_string(track - 1)));
    }
    EXPECT_THROW(openSource({.source = path, .videoTrack = 3}), Error);
    EXPECT_THROW(openSource({.source = "pattern", .videoTrack = 1}), Error);
}

TEST_F(FileSourceTest, InterlacedVideoIsToldOf) {
    const std::string path = file("fields.ts");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=50 -vf interlace -frames:v 5 -c:v mpeg2video -flags +ildct+ilme " +
           path);
    const auto source = openSource({.source = path});
    EXPECT_EQ(takeSums(*source).size(), 5U);
    ASSERT_EQ(source->notes().size(), 1U);
    EXPECT_NE(source->notes()[0].find("is interlaced"), std::string::npos) << source->notes()[0];
}

/// In DV, only its pictures say which field is first.
TEST_F(FileSourceTest, PicturesSayWhichFieldIsFirst) {
    const std::string path = file("fields.dv");
    ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25 -frames:v 3 -pix_fmt yuv420p " + path);
    EXPECT_EQ(openSource({.source = path})->format().fieldOrder, FieldOrder::BottomFirst);
}

TEST_F(FileSourceTest, TimeStampsBeginWhereFfmpegsDo) {
    const std::string path = file("clip.ts");  // MPEG-TS begins at 1.4 s
    ffmpeg(clip("64x48", 10, "-f lavfi -i sine=d=0.4") + "-c:v mpeg2video -bf 2 " + path);
    const auto source = openSource({.source = path});
    const auto sums = takeSums(*source);
    EXPECT_EQ(sums, ffmpegFrameSums("-i " + path + " -map 0:v"));
    ASSERT_EQ(sums.size(), 10U);
}

TEST_F(FileSourceTest, IrregularTimesAreKept) {
    // Bursts of five pictures: FFmpeg knows only an average of their rate.
    const std::string path = file("clip.mp4");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 20 -vsync vfr -enc_time_base 1:1000 "
        "-vf settb=1/1000,setpts=floor(N/5)*500+mod(N\\,5)*4 -c:v mpeg4 -video_track_timescale 1000 " +
        path);
    const auto source = openSource({.source = path});
    EXPECT_EQ(source->format().timeBase, (Rational{1, 1000}));
    const auto sums = takeSums(*source);
    ASSERT_EQ(sums.size(), 20U);
    for (std::int64_t i = 0; i < 20; ++i) {
        EXPECT_EQ(sums[static_cast<std::size_t>(i)].pts, i / 5 * 500 + i % 5 * 4);
    }
}

TEST_F(FileSourceTest, AClockThatStartsAnewIsNoPictureBeforeTheStart) {
    const std::string part = file("part.ts"), both = file("both.ts");
    ffmpeg(clip("64x48", 50) + "-c:v mpeg2video " + part);
    std::ofstream(both, std::ios::binary)
        << std::ifstream(part, std::ios::binary).rdbuf() << std::ifstream(part, std::ios::binary).rdbuf();
    const auto source = openSource({.source = both, .start = std::chrono::seconds(1)});
    EXPECT_EQ(takeSums(*source).size(), 25U + 50U);
}

TEST_F(FileSourceTest, LoopsWithGrowingTimeStamps) {
    for (const std::string name : {"clip.mp4", "clip.mkv", "clip.h264"}) {
        SCOPED_TRACE(name);
        const std::string path = file(name);
        ffmpeg(clip("64x48", 7) + "-c:v libx264 -pix_fmt yuv420p -bf 2 " + path);
        const auto reference = ffmpegFrameSums("-i " + path);
        ASSERT_EQ(reference.size(), 7U);
        const auto source = openSource({.source = path, .loop = true});
        EXPECT_EQ(source->expectedFrames(), std::nullopt);
        auto sums = takeSums(*source, 12);
        std::filesystem::remove(path);  // it is kept nevertheless
        std::ranges::move(takeSums(*source, 12), std::back_inserter(sums));
        ASSERT_EQ(sums.size(), 24U);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            EXPECT_EQ(sums[i].md5, reference[i % 7].md5) << "frame " << i;
            if (i > 0 && name != "clip.h264") {
                EXPECT_EQ(sums[i].pts, sums[i - 1].pts + 1) << "frame " << i;
            }
        }
    }
}

TEST_F(FileSourceTest, ExpectedFramesComeFromTheContainer) {
    const std::string path = file("clip.mp4");
    ffmpeg(clip("64x48", 9) + "-c:v mpeg4 " + path);
    EXPECT_EQ(openSource({.source = path})->expectedFrames(), 9U);
}

TEST_F(FileSourceTest, SizeMayChangeInMidStream) {
    const std::string small = file("small.h264"), large = file("large.h264"), both = file("both.h264");
    ffmpeg(clip("64x48", 4) + "-c:v libx264 -pix_fmt yuv420p " + small);
    ffmpeg(clip("640x480", 4) + "-c:v libx264 -pix_fmt yuv420p " + large);
    std::ofstream(both, std::ios::binary)
        << std::ifstream(small, std::ios::binary).rdbuf() << std::ifstream(large, std::ios::binary).rdbuf()
        << std::ifstream(small, std::ios::binary).rdbuf();
    auto expected = ffmpegFrameSums("-i " + small);
    const auto middle = ffmpegFrameSums("-i " + large);
    const auto end = expected;
    expected.insert(expected.end(), middle.begin(), middle.end());
    expected.insert(expected.end(), end.begin(), end.end());

    const auto source = openSource({.source = both});
    const auto sums = takeSums(*source);
    ASSERT_EQ(sums.size(), expected.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(sums[i].md5, expected[i].md5) << "frame " << i;
        EXPECT_EQ(sums[i].bytes, expected[i].bytes) << "frame " << i;
    }
}

TEST_F(FileSourceTest, LeasesOutliveTheSource) {
    const std::string path = file("clip.mp4");
    ffmpeg(clip("64x48", 3) + "-c:v mpeg4 " + path);
    CapturedFrame frame;
    {
        const Event never;
        const auto source = openSource({.source = path});
        ASSERT_EQ(source->capture(frame, never), Status::Ok);
    }
    EXPECT_EQ(sumOf(frame), ffmpegFrameSums("-i " + path).at(0));
}

// Pictures that a consumer still holds must not change while decoding continues.
TEST_F(FileSourceTest, HeldFramesKeepTheirContent) {
    for (const std::string encoder : {"libx264 -bf 3", "mpeg4", "qtrle", "cinepak"}) {
        SCOPED_TRACE(encoder);
        const std::string path = file("clip.mov");
        ffmpeg(clip("64x48", 8) + "-c:v " + encoder + " " + path);
        const auto source = openSource({.source = path, .slots = 8});
        const Event never;
        std::vector<CapturedFrame> frames(8);
        for (auto& frame : frames) {
            ASSERT_EQ(source->capture(frame, never), Status::Ok);
        }
        const std::string passThrough = encoder == "cinepak" ? " -pix_fmt rgb24" : "";
        const auto reference = ffmpegFrameSums("-i " + path + passThrough);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            EXPECT_EQ(sumOf(frames[i]), reference.at(i)) << "frame " << i;
        }
    }
}

TEST_F(FileSourceTest, WaitsForConsumersAndCanBeCancelled) {
    const std::string path = file("clip.mp4");
    ffmpeg(clip("64x48", 20) + "-c:v libx264 -pix_fmt yuv420p " + path);
    const auto source = openSource({.source = path, .slots = 3});
    Event cancel;
    std::vector<CapturedFrame> held(3);
    for (auto& frame : held) {
        ASSERT_EQ(source->capture(frame, cancel), Status::Ok);
    }
    CapturedFrame next;
    // Slots held only by the consumer are at most three; those also held by the decoder are extra. Eventually
    // the source must wait for a consumer that never releases any.
    std::vector<CapturedFrame> more;
    auto waiting = std::async(std::launch::async, [&] {
        for (;;) {
            CapturedFrame frame;
            if (const Status status = source->capture(frame, cancel); status != Status::Ok) {
                return status;
            }
            more.push_back(std::move(frame));
        }
    });
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
    cancel.notify();
    EXPECT_EQ(waiting.get(), Status::Cancelled);
    EXPECT_LT(held.size() + more.size(), 20U);

    cancel.clear();
    held.clear();
    const std::size_t taken = 3 + more.size();
    more.clear();
    std::size_t rest = 0;
    while (source->capture(next, cancel) == Status::Ok) {
        ++rest;
    }
    EXPECT_EQ(taken + rest, 20U);
}

}  // namespace
}  // namespace verbcast::testing
