// What verbcast uses verbcast-gl for: the renderer's name, the upload rate, and the latency of each stage up
// to the picture. Software OpenGL is enough.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/video/video_format.h"
#include "tests/app/programs/gl_program.h"
#include "tests/support/exit_codes.h"

namespace verbcast::testing {
namespace {

using Names = std::vector<std::string>;

Names namesOf(const nlohmann::json& run) {
    Names names;
    for (const nlohmann::json& stage : run["stages"]) {
        names.push_back(stage["name"]);
    }
    return names;
}

void expectOrdered(const nlohmann::json& time) {
    EXPECT_GT(time["p50"], 0);
    EXPECT_LE(time["p50"], time["p99"]);
    EXPECT_LE(time["p99"], time["max"]);
}

/// The total latency is no shorter than any stage.
void expectPartsFitTheWhole(const nlohmann::json& run) {
    expectOrdered(run["total_us"]);
    // The sender's own stages may include frames that the receiver did not measure.
    const Names atTheReceiver{"wire", "queue", "upload", "draw", "read back"};
    for (const nlohmann::json& stage : run["stages"]) {
        SCOPED_TRACE(stage.dump());
        expectOrdered(stage["time_us"]);
        const bool counts =
            std::count(atTheReceiver.begin(), atTheReceiver.end(), stage["name"].get<std::string>()) > 0;
        if (counts) {
            EXPECT_LE(stage["time_us"]["p50"], run["total_us"]["p50"]);
            EXPECT_LE(stage["time_us"]["max"], run["total_us"]["max"]);
        }
    }
}

TEST_F(GlProgram, DevicesNameTheRenderer) {
    Verbcast program({"devices"}, home_);
    EXPECT_TRUE(endsWith(program, 0));
    EXPECT_TRUE(holds(program.output(), "OpenGL renderer\n  " + renderer_ + "\n"));
    EXPECT_TRUE(holds(renderer_, "OpenGL "));
}

TEST_F(GlProgram, UploadRateIsThatOfWholeFrames) {
    const auto json = nlohmann::json::parse(askGl({"--upload-rate", "640x360", "v210"}));
    EXPECT_EQ(json["renderer"], renderer_);
    EXPECT_TRUE(json["path"] == "direct" || json["path"] == "persistent PBO") << json["path"];
    const double framesPerSecond = json["frames_per_second"];
    EXPECT_GT(framesPerSecond, 0);
    const auto bytes = static_cast<double>(tightBytes(tightFormat(640, 360, PixelFormat::v210)));
    EXPECT_NEAR(json["gigabytes_per_second"], framesPerSecond * bytes / 1e9, framesPerSecond * bytes / 1e12);
}

TEST_F(GlProgram, WhatItDoesNotKnowIsRefused) {
    EXPECT_EQ(askGl({"--upload-rate", "0x0", "rgba"}, kUsage), "");
    EXPECT_TRUE(holds(errors_, "0x0"));
    EXPECT_EQ(askGl({"--upload-rate", "64x64", "yuv999"}, kUsage), "");
    EXPECT_TRUE(holds(errors_, "yuv999"));
    EXPECT_EQ(askGl({"view"}, kUsage), "");
    EXPECT_TRUE(holds(errors_, "call verbcast instead"));
}

TEST_F(GlProgram, LinksNoQtAndVerbcastNoOpenGl) {
    const auto libraries = [&](const std::string& program) {
        ChildProcess ldd({"ldd", program}, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(ldd, 0));
        EXPECT_TRUE(holds(ldd.output(), "libc.so"));
        return ldd.output();
    };
    const std::string gl = libraries(glPath());
    EXPECT_TRUE(holds(gl, "libepoxy"));
    for (const char* foreign : {"libQt", "libavcodec", "libavformat"}) {
        EXPECT_EQ(gl.find(foreign), std::string::npos) << foreign;
    }
    const std::string headless = libraries(verbcastPath());
    for (const char* foreign : {"libQt", "libepoxy", "libEGL", "libGL.", "libOpenGL"}) {
        EXPECT_EQ(headless.find(foreign), std::string::npos) << foreign;
    }
}

TEST_F(GlProgram, StagesOfAPatternAreMeasuredAndNothingIsDropped) {
    const auto runs = stages({"--transport", "shm,tcp", "--source", "pattern:zone", "--size", "322x182",
                              "--format", "yuv420p", "--frames", "30", "--read-back"});
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& run : runs) {
        EXPECT_EQ(run["source"], "pattern zone");
        EXPECT_EQ(run["renderer"], renderer_);
        EXPECT_EQ(run["width"], 322);
        EXPECT_EQ(run["height"], 182);
        EXPECT_EQ(run["pixel_format"], "yuv420p");
        EXPECT_EQ(run["load"], 0);
        EXPECT_EQ(run["frames"], 30);
        EXPECT_EQ(run["frames_dropped"], 0);
        EXPECT_GT(run["fps"], 0);
        EXPECT_EQ(namesOf(run), (Names{"draw pattern", "wait for room", "post", "wire", "queue", "upload",
                                       "draw", "read back"}));
        expectPartsFitTheWhole(run);
    }
    EXPECT_EQ(runs[0]["transport"], "shm");
    EXPECT_EQ(runs[1]["transport"], "tcp");
}

TEST_F(GlProgram, StagesUnderLoadAreARunOfTheirOwn) {
    const auto runs = stages({"--transport", "shm", "--size", "320x180", "--frames", "10", "--load", "1"});
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0]["load"], 0);
    EXPECT_EQ(runs[1]["load"], 1);
    EXPECT_EQ(runs[1]["frames"], 10);
    EXPECT_EQ(namesOf(runs[0]), namesOf(runs[1]));
}

TEST_F(GlProgram, StagesOfAFileAtARateKeepItsFormatAndHaveNoQueueAtTheSource) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(320, 180, "yuv422p"), "-frames:v", "5", "-c:v", "libx264",
            "-qp", "20", file("clip.mkv")});
    const auto runs =
        stages({"--transport", "shm", "--source", file("clip.mkv"), "--fps", "50", "--frames", "12"});
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_TRUE(holds(runs[0]["source"], "clip.mkv (h264)"));
    EXPECT_EQ(runs[0]["width"], 320);
    EXPECT_EQ(runs[0]["height"], 180);
    EXPECT_EQ(runs[0]["pixel_format"], "yuv422p");
    EXPECT_EQ(runs[0]["frames"], 12);  // five pictures, repeated
    EXPECT_EQ(namesOf(runs[0]), (Names{"decode", "post", "wire", "queue", "upload", "draw"}));
    expectPartsFitTheWhole(runs[0]);
}

TEST_F(GlProgram, StagesOfASceneAreHeldAgainstEachPartAlone) {
    const auto runs = stages({"--transport", "shm", "--source", "scene:swarm", "--size", "320x180",
                              "--frames", "40", "--html", file("report.html")});
    ASSERT_EQ(runs.size(), 1U);
    const auto& run = runs[0];
    EXPECT_TRUE(holds(run["source"], "scene swarm"));
    EXPECT_EQ(run["width"], 320);
    EXPECT_EQ(run["frames"], 40);
    EXPECT_EQ(run["frames_dropped"], 0);
    EXPECT_TRUE(run["offered_fps"].is_null());
    EXPECT_TRUE(run["input_to_picture"].is_null());
    EXPECT_EQ(namesOf(run), (Names{"draw scene", "read scene", "wait for room", "post", "wire", "queue",
                                   "upload", "draw"}));
    const auto& cost = run["transfer_cost"];
    Names parts;
    double alone = 0, pipeline = 0;
    const std::string judgedBy = cost["judged_by"];
    EXPECT_EQ(judgedBy, renderer_.find("llvmpipe") != std::string::npos ? "cpu_us" : judgedBy);
    for (const auto& part : cost["parts"]) {
        parts.push_back(part["name"]);
        for (const char* when : {"alone", "pipeline"}) {
            EXPECT_GT(part[when]["cpu_us"], 0) << part;
            EXPECT_GT(part[when]["wall_us"], 0) << part;
        }
        alone += part["alone"][judgedBy].get<double>();
        pipeline += part["pipeline"][judgedBy].get<double>();
    }
    EXPECT_EQ(parts, (Names{"read-back", "hand-off", "upload"}));
    EXPECT_NEAR(cost["together"]["alone"][judgedBy], alone, alone * 1e-6);
    EXPECT_NEAR(cost["ratio"], pipeline / alone, pipeline / alone * 1e-6);
    EXPECT_EQ(cost["limit"], 1.15);
    EXPECT_EQ(cost["holds"], cost["ratio"].get<double>() <= 1.15);
    std::ifstream page(file("report.html"));
    EXPECT_TRUE(holds(std::string(std::istreambuf_iterator<char>(page), {}), "transfer of a frame"));
}

TEST_F(GlProgram, StagesTimeInputUntilItsPictureIsDrawn) {
    for (const char* source : {"scene", "pattern"}) {
        SCOPED_TRACE(source);
        const auto runs = stages({"--transport", "shm", "--source", source, "--size", "160x90", "--fps", "50",
                                  "--frames", "60", "--input"});
        ASSERT_EQ(runs.size(), 1U);
        EXPECT_EQ(runs[0]["offered_fps"], 50);
        EXPECT_EQ(runs[0]["transfer_cost"].is_null(), source == std::string("pattern"));
        const auto& input = runs[0]["input_to_picture"];
        expectOrdered(input["time_us"]);
        EXPECT_GT(input["time_us"]["count"], 10) << "about 60 a second";
        EXPECT_NEAR(input["frame_times"]["p50"], input["time_us"]["p50"].get<double>() * 50e-6, 1e-6);
        EXPECT_EQ(input["holds"], input["frame_times"]["p50"].get<double>() <= 1.5 &&
                                      input["frame_times"]["p99"].get<double>() <= 3);
    }
}

TEST_F(GlProgram, StagesSayWhatIsWrongWithTheSource) {
    Verbcast absent(
        {"bench", "stages", "--transport", "shm", "--source", "absent.mp4", "--json", file("none.json")},
        home_);
    EXPECT_TRUE(endsWith(absent, 3));
    EXPECT_TRUE(holds(absent.errors(), "absent.mp4"));
    Verbcast piped({"bench", "stages", "--source", "-", "--json", file("none.json")}, home_);
    EXPECT_TRUE(endsWith(piped, kUsage));
    EXPECT_TRUE(holds(piped.errors(), "--source -"));
    Verbcast unknown({"bench", "stages", "--source", "scene:sea", "--json", file("none.json")}, home_);
    EXPECT_TRUE(endsWith(unknown, kUsage));
    EXPECT_TRUE(holds(unknown.errors(), "scenes are: waves"));
    Verbcast converted(
        {"bench", "stages", "--source", "scene", "--format", "nv12", "--json", file("none.json")}, home_);
    EXPECT_TRUE(endsWith(converted, kUsage));
    EXPECT_TRUE(holds(converted.errors(), "leave --format out"));
    EXPECT_EQ(files_.names(), Names{});
}

TEST_F(GlProgram, WithoutVerbcastGlTheRestWorksAndStagesSayWhatIsMissing) {
    const std::string alone = file("verbcast");
    std::filesystem::copy_file(verbcastPath(), alone);
    ChildProcess bench({alone, "bench", "stages", "--quiet"}, {.folder = home_.path()});
    EXPECT_TRUE(endsWith(bench, kDisplay));
    EXPECT_TRUE(holds(bench.errors(), "verbcast-gl is missing"));
    EXPECT_TRUE(holds(bench.errors(), "try: install it"));
    ChildProcess render({alone, "render"}, {.folder = home_.path()});
    EXPECT_TRUE(endsWith(render, kDisplay));
    EXPECT_TRUE(holds(render.errors(), "verbcast-gl is missing"));
    ChildProcess devices({alone, "devices"}, {.folder = home_.path()});
    EXPECT_TRUE(endsWith(devices, 0));
    EXPECT_TRUE(holds(devices.output(), "OpenGL renderer\n  none: verbcast-gl is not installed"));
}

}  // namespace
}  // namespace verbcast::testing
