// A part of a file (-ss, -t), and seeking in it.
#include "tests/capture/ffmpeg_reference.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

struct PartCase {
    std::string name, encoder, extension;
};
void PrintTo(const PartCase& part, std::ostream* out) {
    *out << part.name;
}

/// The part from `start` for `length`, in milliseconds; frames are 40 ms apart.
std::vector<FrameSum> partOf(const std::vector<FrameSum>& whole, int start, int length) {
    std::vector<FrameSum> part;
    int first = -1;
    for (const FrameSum& sum : whole) {
        const int time = static_cast<int>(sum.pts) * 40;
        if (time >= start && (first < 0 || time - first < length)) {
            first = first < 0 ? time : first;
            part.push_back(sum);
            part.back().pts = (time - start + 20) / 40;
        }
    }
    return part;
}

class FileParts : public FfmpegTest, public ::testing::WithParamInterface<PartCase> {
  protected:
    /// Four seconds of pictures that all differ.
    std::string clip() const {
        const std::string path = file("clip" + GetParam().extension);
        ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 100 " + GetParam().encoder + " " + path);
        return path;
    }
};

TEST_P(FileParts, AreThoseThatFfmpegTakes) {
    const std::string path = clip();
    const auto whole = ffmpegFrameSums("-i " + path);
    ASSERT_EQ(whole.size(), 100U);
    for (const auto& [start, length] :
         {std::pair{0, 1000}, std::pair{1000, 1000}, std::pair{500, 40}, std::pair{1010, 990},
          std::pair{3000, 5000}, std::pair{3960, 1000}, std::pair{1234, 777}}) {
        SCOPED_TRACE(::testing::Message() << start << " ms, " << length << " ms long");
        const auto source = openSource({.source = path,
                                        .start = std::chrono::milliseconds(start),
                                        .length = std::chrono::milliseconds(length)});
        const auto sums = takeSums(*source);
        EXPECT_EQ(sums, partOf(whole, start, length));
        if (GetParam().extension != ".ts") {  // in .ts, ffmpeg begins only with the next key frame
            EXPECT_EQ(sums, ffmpegFrameSums("-ss " + std::to_string(start) + "ms -t " +
                                            std::to_string(length) + "ms -i " + path));
        }
        EXPECT_EQ(source->counters().packetsUndecodable + source->counters().framesDamaged, 0U);
    }
}

TEST_P(FileParts, ASeekBehindThemGoesToTheirLastPicture) {
    const std::string path = clip();
    const auto whole = ffmpegFrameSums("-i " + path);
    const auto source = openSource({.source = path, .start = 1s, .length = 1s});
    EXPECT_EQ(takeSums(*source, 1).at(0).md5, whole[25].md5);
    for (const auto& [time, picture] : {std::pair{3s, 49U}, std::pair{0s, 25U}}) {
        source->playback()->seek(time);
        EXPECT_EQ(takeSums(*source, 1).at(0).md5, whole[picture].md5) << time.count();
    }
}

TEST_P(FileParts, BehindTheEndThereIsNone) {
    const std::string path = clip();
    for (const auto start : {5s, 99s}) {
        try {
            openSource({.source = path, .start = start});
            FAIL() << "opened";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_NE(std::string(error.what()).find("no picture at"), std::string::npos) << error.what();
        }
    }
}

TEST_P(FileParts, AreRepeated) {
    const std::string path = clip();
    const auto source = openSource({.source = path, .loop = true, .start = 1s, .length = 400ms});
    const auto sums = takeSums(*source, 25);
    const auto part = partOf(ffmpegFrameSums("-i " + path), 1000, 400);
    ASSERT_EQ(part.size(), 10U);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(sums[i].md5, part[i % 10].md5) << i;
        EXPECT_EQ(sums[i].pts, static_cast<std::int64_t>(i));
    }
}

TEST_P(FileParts, ASeekGoesToTheVeryPictureAndBack) {
    const std::string path = clip();
    const auto whole = ffmpegFrameSums("-i " + path);
    const auto source = openSource({.source = path});
    Playback& playback = *source->playback();
    ASSERT_TRUE(playback.duration());
    EXPECT_NEAR(std::chrono::duration<double>(*playback.duration()).count(), 4, 0.1);
    std::int64_t lastPts = -1;
    const auto next = [&] {
        const auto sums = takeSums(*source, 1);
        EXPECT_EQ(sums.size(), 1U);
        EXPECT_GT(sums.at(0).pts, lastPts) << "a receiver's clock would go backwards";
        lastPts = sums.at(0).pts;
        return sums.at(0).md5;
    };
    EXPECT_EQ(next(), whole[0].md5);
    for (const std::size_t picture : {50U, 51U, 3U, 99U, 0U, 74U}) {
        playback.seek(40ms * picture);
        EXPECT_EQ(next(), whole[picture].md5) << picture;
        EXPECT_NEAR(std::chrono::duration<double>(playback.position()).count(),
                    0.04 * static_cast<double>(picture), 0.002);
    }
    for (const std::size_t picture : {73U, 72U, 71U}) {
        playback.stepBack(1);
        EXPECT_EQ(next(), whole[picture].md5) << picture;
    }
    EXPECT_EQ(next(), whole[72].md5);
    playback.stepBack(40);
    EXPECT_EQ(next(), whole[32].md5);
    for (const auto time : {4s, 100s}) {
        playback.seek(time);
        EXPECT_EQ(next(), whole[99].md5) << "behind the end is the last picture";
        EXPECT_TRUE(takeSums(*source).empty());
    }
    EXPECT_EQ(source->counters().packetsUndecodable, 0U);
    playback.seek(0s);
    EXPECT_EQ(takeSums(*source).size(), 100U) << "the end is not final";
}

INSTANTIATE_TEST_SUITE_P(
    All, FileParts,
    ::testing::Values(
        PartCase{"h264_mp4", "-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 3 -g 12", ".mp4"},
        PartCase{"h264_mkv", "-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 3 -g 30", ".mkv"},
        PartCase{"mpeg2_ts", "-c:v mpeg2video -bf 2 -g 15", ".ts"},
        PartCase{"raw_nut", "-c:v rawvideo -pix_fmt yuv420p", ".nut"},
        PartCase{"prores_mov", "-c:v prores_ks", ".mov"}),
    [](const auto& tested) { return tested.param.name; });

struct LateCase {
    std::string name, encoder, extension;
};
void PrintTo(const LateCase& late, std::ostream* out) {
    *out << late.name;
}

class LateFiles : public FfmpegTest, public ::testing::WithParamInterface<LateCase> {};

// A recorder's segments begin where the one before ended.
TEST_P(LateFiles, LastFromTheirFirstPictureToTheirLast) {
    const std::string path = file("clip" + GetParam().extension);
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 100 -pix_fmt yuv420p -g 25 " + GetParam().encoder +
           " -output_ts_offset 6.04 " + path);
    const auto whole = ffmpegFrameSums("-i " + path);
    ASSERT_EQ(whole.size(), 100U);
    const auto source = openSource({.source = path});
    ASSERT_TRUE(source->playback()->duration());
    EXPECT_NEAR(std::chrono::duration<double>(*source->playback()->duration()).count(), 4, 0.1);
    EXPECT_EQ(takeSums(*source), whole);
    EXPECT_NEAR(std::chrono::duration<double>(source->playback()->position()).count(), 3.96, 0.002);
    source->playback()->seek(2s);
    EXPECT_EQ(takeSums(*source, 1).at(0).md5, whole[50].md5);
    EXPECT_EQ(source->counters().packetsUndecodable, 0U);
    EXPECT_TRUE(source->notes().empty()) << source->notes().front();
    EXPECT_EQ(takeSums(*openSource({.source = path, .start = 3s, .length = 500ms})),
              partOf(whole, 3000, 500));
    try {
        openSource({.source = path, .start = 6s});
        FAIL() << "opened";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("no picture at 6 s or later: it lasts 4.0"),
                  std::string::npos)
            << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(All, LateFiles,
                         ::testing::Values(LateCase{"mkv", "-c:v libx264 -bf 2", ".mkv"},
                                           LateCase{"mp4", "-c:v libx264 -bf 2", ".mp4"},
                                           LateCase{"fragments",
                                                    "-c:v mpeg4 -movflags frag_keyframe+empty_moov+"
                                                    "frag_discont",
                                                    ".mp4"},
                                           LateCase{"mov", "-c:v mpeg4", ".mov"},
                                           LateCase{"webm", "-c:v libvpx", ".webm"},
                                           LateCase{"nut", "-c:v mpeg4", ".nut"}),
                         [](const auto& tested) { return tested.param.name; });

class FilePart : public FfmpegTest {};

TEST_F(FilePart, BehindTheEndIsAnErrorThatSaysHowLongItIs) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25 -frames:v 50 -c:v rawvideo " + file("clip.nut"));
    try {
        openSource({.source = file("clip.nut"), .start = 10s});
        FAIL() << "opened";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(std::string(error.what()).find("no picture at 10 s or later: it lasts 1.9"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(FilePart, OfARawStreamIsCountedFromItsBeginning) {
    for (const auto& [encoder, extension] :
         {std::pair{"-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 3 -g 12", ".h264"},
          std::pair{"-c:v libx265 -x265-params log-level=none -preset veryfast -pix_fmt yuv420p", ".hevc"},
          std::pair{"-c:v mpeg4 -bf 2", ".m4v"}, std::pair{"-c:v mpeg1video -bf 2", ".m1v"},
          std::pair{"-c:v mpeg2video -bf 0", ".m2v"},
          std::pair{"-c:v mpeg2video -bf 2 -f mpeg2video", ".mpeg2"},
          std::pair{"-c:v mjpeg -f mjpeg", ".mjpeg"}}) {
        SCOPED_TRACE(extension);
        const std::string path = file(std::string("clip") + extension);
        ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 100 " + std::string(encoder) + " " + path);
        const auto whole = ffmpegFrameSums("-i " + path);
        ASSERT_EQ(whole.size(), 100U);
        EXPECT_EQ(takeSums(*openSource({.source = path})), whole);

        const auto part = takeSums(*openSource({.source = path, .start = 1s, .length = 400ms}));
        ASSERT_EQ(part.size(), 10U);
        EXPECT_EQ(part.front().md5, whole[25].md5);
        EXPECT_EQ(part.back().md5, whole[34].md5);

        const auto source = openSource({.source = path});
        Playback& playback = *source->playback();
        for (const std::size_t picture : {50U, 3U, 99U, 0U, 74U}) {
            playback.seek(40ms * picture);
            const auto sums = takeSums(*source, 1);
            ASSERT_EQ(sums.size(), 1U) << picture;
            EXPECT_EQ(sums[0].md5, whole[picture].md5) << picture;
        }
        playback.stepBack(1);
        EXPECT_EQ(takeSums(*source, 1).at(0).md5, whole[73].md5);
    }
}

TEST_F(FilePart, AStepBackCrossesAGap) {
    const std::string path = file("gap.mp4");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=30 -vf select='not(between(n,30,31))' -vsync vfr -frames:v 60 "
        "-c:v libx264 -bf 2 -pix_fmt yuv420p " +
        path);
    const auto whole = ffmpegFrameSums("-i " + path);
    const auto source = openSource({.source = path});
    ASSERT_EQ(takeSums(*source, 31).back().md5, whole[30].md5) << "the one behind the gap";
    source->playback()->stepBack(1);
    EXPECT_EQ(takeSums(*source, 1).at(0).md5, whole[29].md5);
    EXPECT_EQ(takeSums(*source, 2).back().md5, whole[31].md5);
    source->playback()->stepBack(3);
    EXPECT_EQ(takeSums(*source, 1).at(0).md5, whole[28].md5);
    source->playback()->stepBack(100);
    EXPECT_EQ(takeSums(*source, 1).at(0).md5, whole[0].md5);
}

TEST_F(FilePart, OnlyFilesHaveOne) {
    for (const char* source : {"pattern:bars", "screen", "v4l2:/dev/video0"}) {
        EXPECT_THROW(openSource({.source = source, .start = 1s}), Error) << source;
    }
    const auto pattern = openSource({.source = "pattern:bars"});
    EXPECT_EQ(pattern->playback(), nullptr);
}

}  // namespace
}  // namespace verbcast::testing
