// verbcast send with what NVIDIA's decoder decodes in its GPU's memory.
#include <algorithm>

#include "core/base/error.h"
#include "tests/support/exit_codes.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

constexpr int kSentFrames = 30;
constexpr int kSentBytes = 192 * 128 * 3 / 2;

class NvdecProgram : public ProgramAndFfmpegTest {
  protected:
    void SetUp() override {
        ProgramAndFfmpegTest::SetUp();
        clip_ = file("clip.mkv");
        ffmpeg(std::vector<std::string>{"-f", "lavfi", "-i", "testsrc2=s=192x128:r=25", "-frames:v",
                                        std::to_string(kSentFrames), "-c:v", "mpeg2video", "-b:v", "1M",
                                        "-bf", "2", clip_});
        ::setenv("LD_LIBRARY_PATH", VERBCAST_DRIVERS, 1);
    }
    void TearDown() override {
        ::unsetenv("LD_LIBRARY_PATH");
        ::unsetenv("CUDA_DOUBLE_FAIL");
        ::unsetenv("ASAN_OPTIONS");
        ProgramAndFfmpegTest::TearDown();
    }
    std::string clip_;
};

class NvdecProgramOver : public NvdecProgram, public ::testing::WithParamInterface<std::string> {};

TEST_P(NvdecProgramOver, SendsWhatTheGpuDecoded) {
    Verbcast sender(
        {"send", clip_, "--memory", "device", "--fps", "max", "--once", "--listen",
         listenAddressFor(GetParam()), "--frame-md5", file("sent"), "--stats-json", file("sent.json")},
        home_);
    Verbcast viewer({"view", "--headless", "--once", "--frame-md5", file("seen"), sender.listenAddress()},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    const auto reference = ffmpegFrameSums({"-i", clip_, "-pix_fmt", "nv12"});
    EXPECT_EQ(frameSums(file("sent")), reference);
    EXPECT_EQ(frameSums(file("seen")), reference);
    const auto stats = readJson(file("sent.json"));
    EXPECT_EQ(stats["decoder"]["name"], "cuda");
    EXPECT_EQ(stats["decoder"]["on_device"], kSentFrames);
    EXPECT_EQ(stats["decoder"]["from_device"], 0);
    EXPECT_EQ(stats["bytes_from_device"], kSentFrames * kSentBytes) << "these transports cannot reach a GPU";
    EXPECT_EQ(sender.errors().find("cuda double"), std::string::npos) << sender.errors();
}

/// By default where a viewer may have them without a copy, unless something needs the processor.
TEST_P(NvdecProgramOver, SaysWherePicturesAreAndWhy) {
    for (const std::string size : {"", "96x64"}) {
        Verbcast sender(Arguments{"send", clip_, "--fps", "max", "--once", "--listen",
                                  listenAddressFor(GetParam()), "--stats-json", file("sent.json")} +
                            (size.empty() ? Arguments{} : Arguments{"--size", size}),
                        home_);
        Verbcast viewer({"view", "--headless", "--once", sender.listenAddress()}, home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        const bool stays = GetParam() == "shm" && size.empty();
        EXPECT_EQ(readJson(file("sent.json"))["decoder"]["on_device"], stays ? kSentFrames : 0);
        const std::string brought = "from the GPU to main memory: ";
        EXPECT_TRUE(holds(sender.errors(), stays ? "note: pictures stay in the memory of Double 0 (GPU 0)"
                                           : size.empty() ? brought + "they are sent from there"
                                                          : brought + "the processor converts"));
    }
}

TEST_P(NvdecProgramOver, GoesOnInMainMemoryWhenTheDecoderFails) {
    ::setenv("CUDA_DOUBLE_FAIL", "cuvidDecodePicture:700:17", 1);
    Verbcast sender({"send", clip_, "--memory", "device", "--fps", "max", "--once", "--listen",
                     listenAddressFor(GetParam()), "--stats-json", file("sent.json")},
                    home_);
    Verbcast viewer({"view", "--headless", "--once", "--frame-md5", file("seen"), sender.listenAddress()},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(frameSums(file("seen")), ffmpegFrameSums({"-i", clip_, "-pix_fmt", "nv12"}));
    const auto stats = readJson(file("sent.json"));
    EXPECT_EQ(stats["decoder"]["name"], "software");
    EXPECT_GT(stats["decoder"]["on_device"], 0);
    EXPECT_LT(stats["bytes_from_device"], kSentFrames * kSentBytes);
    EXPECT_TRUE(holds(sender.errors(), "note: the decoder cuda failed ("));
}

INSTANTIATE_TEST_SUITE_P(Over, NvdecProgramOver, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

/// Beside ffmpeg over the same double.
TEST_F(NvdecProgram, TheBenchComparesDecoders) {
    Verbcast bench({"bench", "decode", "--source", clip_, "--frames", "20", "--json", file("report.json")},
                   home_);
    EXPECT_TRUE(endsWith(bench, 0));
    const auto report = readJson(file("report.json"));
    std::vector<std::string> rows;
    for (const auto& row : report["decoding"]) {
        rows.push_back(row["decoder"].get<std::string>() + " " + row["memory"].get<std::string>());
        EXPECT_GT(row["fps"], 0) << row.dump(2);
        if (!VERBCAST_SANITIZED) {  // ffmpeg cannot load a sanitized double
            EXPECT_GT(row["ffmpeg_fps"], 0) << row.dump(2);
        }
        EXPECT_EQ(row["pictures"], 19) << "the first one starts the decoder";
    }
    ASSERT_GE(rows.size(), 3U) << report.dump(2);
    EXPECT_EQ(rows[0], "software host");
    EXPECT_NE(std::ranges::find(rows, "cuda host"), rows.end());
    EXPECT_NE(std::ranges::find(rows, "cuda device"), rows.end());
    Verbcast refused({"bench", "decode", "--source", "pattern"}, home_);
    EXPECT_TRUE(endsWith(refused, kUsage));
    EXPECT_TRUE(holds(refused.errors(), "a file expected"));
}

#ifdef VERBCAST_TEST_OPENGL

TEST_F(NvdecProgram, TheBenchsStagesDecodeThere) {
    Verbcast bench({"bench", "stages", "--source", clip_, "--memory", "device", "--transport", "shm",
                    "--frames", "30", "--quiet", "--json", file("report.json")},
                   home_);
    EXPECT_TRUE(endsWith(bench, 0));
    const auto run = readJson(file("report.json"))["stages"][0];
    EXPECT_EQ(run["memory"], "device");
    EXPECT_NEAR(run["device_memory"]["processor_copies_per_frame"], 0, 1e-9) << run.dump(2);
    EXPECT_GE(run["device_memory"]["gpu_copies_per_frame"], 1) << "out of the decoder's surface";
    std::string names;
    for (const auto& stage : run["stages"]) {
        names += stage["name"].get<std::string>() + ",";
    }
    EXPECT_TRUE(holds(names, "decode,wait for room,post,"));
}

#endif

TEST_F(NvdecProgram, WhatCannotBeIsRefused) {
    const auto expectError = [&](const Arguments& arguments, ErrorKind kind, const std::string& text) {
        Verbcast program(Arguments{"send", "--memory", "device", "--listen", "shm://nobody"} + arguments,
                         home_);
        EXPECT_TRUE(endsWith(program, static_cast<int>(kind)));
        EXPECT_TRUE(holds(program.errors(), text));
    };
    expectError({clip_, "--decoder", "vaapi"}, ErrorKind::Usage,
                "--memory device with --decoder vaapi: cuda expected");
    expectError({clip_, "--size", "64x64"}, ErrorKind::Usage, "--size with --memory device");
    expectError({"pattern"}, ErrorKind::Usage, "pattern is no media file");
    ::unsetenv("LD_LIBRARY_PATH");
    // LeakSanitizer takes what is left of a library that was looked for in vain for a thread's memory, and
    // crashes.
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    expectError({clip_}, ErrorKind::Device, "--decoder cuda cannot decode the video in " + clip_);
}

}  // namespace
}  // namespace verbcast::testing
