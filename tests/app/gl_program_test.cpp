// What verbcast asks of verbcast-gl: the renderer, the upload rate, and the stages of a frame's way to the
// picture. Software OpenGL is enough.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/stream/frame_receiver.h"
#include "core/video/video_format.h"
#include "tests/app/exit_codes.h"
#include "tests/app/verbcast_program.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

using Names = std::vector<std::string>;

std::string glPath() {
    return (std::filesystem::path(verbcastPath()).parent_path() / "verbcast-gl").string();
}

class GlProgram : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        renderer_ = askGl({"--gl-renderer"});
        renderer_.erase(renderer_.find_last_not_of('\n') + 1);
        if (renderer_.starts_with("none: ")) {
            GTEST_SKIP() << "SKIPPED, no OpenGL here: " << renderer_;
        }
    }

    std::string askGl(Arguments arguments, int exitCode = 0) {
        arguments.insert(arguments.begin(), glPath());
        ChildProcess program(arguments, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, exitCode));
        errors_ = program.errors();
        return program.output();
    }

    /// The `stages` of the report of `verbcast bench stages` with a small source.
    nlohmann::json stages(const Arguments& more) {
        Arguments arguments{"bench", "stages", "--quiet", "--json", file("report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, 0));
        return readJson(file("report.json"))["stages"];
    }

    std::string renderer_, errors_;
};

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

/// A frame's way is no shorter than any part of it.
void expectPartsFitTheWhole(const nlohmann::json& run) {
    expectOrdered(run["total_us"]);
    // The sender's own stages may have seen frames that the receiver did not measure.
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
    EXPECT_EQ(runs[0]["frames"], 12);  // five pictures, again and again
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
                                  "--seconds", "1", "--input"});
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

/// `verbcast render` with a small picture to `verbcast view --headless`.
class GlRender : public GlProgram {
  protected:
    /// Runs both until both have ended well; gives the viewer's statistics.
    nlohmann::json stream(const std::string& transport, const Arguments& more) {
        Arguments arguments{
            "render",       "--size",       "320x180", "--frame-md5", file("sent"),
            "--stats-json", file("sender"), "--once",  "--listen",    listenAddressFor(transport)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        if (std::find(more.begin(), more.end(), "--frames") == more.end()) {
            arguments.insert(arguments.end(), {"--frames", "30"});
        }
        Verbcast sender(arguments, home_);
        Verbcast viewer({"view", "--headless", "--once", "--frame-md5", file("received"), "--stats-json",
                         file("viewer"), sender.listenAddress()},
                        home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_EQ(sender.output() + viewer.output(), "");
        errors_ = sender.errors();
        return readJson(file("viewer"));
    }
};

TEST_F(GlRender, ArrivesWholeAndMoves) {
    for (const char* transport : {"shm", "tcp"}) {
        for (const char* scene : {"waves", "swarm"}) {
            SCOPED_TRACE(std::string(transport) + " " + scene);
            const auto viewer = stream(transport, {"--scene", scene, "--fps", "max", "--policy", "lossless"});
            const auto sent = frameSums(file("sent"));
            EXPECT_EQ(frameSums(file("received")), sent);
            ASSERT_EQ(sent.size(), 30U);
            for (std::size_t i = 1; i < sent.size(); ++i) {
                EXPECT_NE(sent[i].md5, sent[i - 1].md5) << "frame " << i;
                EXPECT_GT(sent[i].pts, sent[i - 1].pts) << "frame " << i;
            }
            EXPECT_EQ(viewer["width"], 320);
            EXPECT_EQ(viewer["height"], 180);
            EXPECT_TRUE(viewer["pixel_format"] == "rgba" || viewer["pixel_format"] == "bgra");
            EXPECT_EQ(viewer["frames_received"], 30);
            EXPECT_EQ(viewer["frames_dropped"], 0);
            EXPECT_TRUE(holds(errors_, renderer_));
            EXPECT_TRUE(holds(errors_, "frames are read back"));
        }
    }
}

TEST_F(GlRender, KeepsARateAndEndsAfterItsTime) {
    const auto viewer =
        stream("shm", {"--fps", "20", "--seconds", "0.5", "--policy", "lossless", "--allow-input", "-v"});
    EXPECT_EQ(viewer["frames_received"], 10);
    const auto sums = frameSums(file("received"));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(sums[i].pts, static_cast<std::int64_t>(i));
    }
    EXPECT_TRUE(holds(errors_, "scene waves"));
}

TEST_F(GlRender, EndsAfterItsTimeAlsoWhenItIsTooSlowForItsRate) {
    stream("shm", {"--fps", "100000", "--seconds", "0.2", "--frames", "20000"});
    const auto sender = readJson(file("sender"));
    EXPECT_EQ(sender["exit_reason"], "duration");
    EXPECT_LT(sender["frames_sent"], 20000) << "the frames of 0.2 s at that rate";
}

/// The picture without its lower quarter, where the frame's number changes.
std::vector<std::byte> withoutNumber(const ReceivedFrame& frame) {
    const VideoFormat& format = *frame.format;
    const std::byte* payload = frame.lease.data() + format.planes[0].offset;
    return {payload, payload + std::size_t{format.planes[0].stride} * (format.height * 3 / 4)};
}

/// A viewer that steers a scene.
class Steering {
  public:
    explicit Steering(const std::string& address) : receiver_(options(address)) {}

    FrameReceiver& receiver() { return receiver_; }
    ReceivedFrame next() {
        ReceivedFrame frame;
        EXPECT_EQ(receiver_.receive(frame, kPatience), Status::Ok);
        return frame;
    }
    /// Sends the event and waits for the first frame that shows it.
    std::vector<std::byte> after(const InputEvent& event) {
        const std::uint64_t number = receiver_.sendInput(event);
        EXPECT_GT(number, 0U);
        ReceivedFrame frame = next();
        while (frame.lease && frame.info.inputSequence < number) {
            frame = next();
        }
        return frame.lease ? withoutNumber(frame) : std::vector<std::byte>();
    }

  private:
    static ReceiverOptions options(const std::string& address) {
        ReceiverOptions options;
        options.url = parseUrl(address);
        options.reconnect = false;
        return options;
    }

    FrameReceiver receiver_;
};

TEST_F(GlRender, ViewersSteerIt) {
    constexpr std::uint32_t kSpace = 0x20;
    Verbcast sender({"render", "--size", "320x180", "--fps", "30", "--allow-input", "--once", "--listen",
                     listenAddressFor("shm")},
                    home_);
    {
        Steering viewer(sender.listenAddress());
        EXPECT_EQ(viewer.next().info.inputSequence, 0U);
        EXPECT_TRUE(viewer.receiver().inputAllowed());
        const auto paused = viewer.after({.kind = InputKind::Key, .pressed = true, .code = kSpace});
        EXPECT_TRUE(withoutNumber(viewer.next()) == paused) << "Space holds the scene";
        EXPECT_TRUE(
            viewer.after({.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 50, .y = 50}) ==
            paused);
        const auto turned = viewer.after({.kind = InputKind::PointerMove, .x = 90, .y = 60});
        EXPECT_FALSE(turned == paused) << "dragging turns the camera";
        EXPECT_TRUE(withoutNumber(viewer.next()) == turned);
        EXPECT_FALSE(viewer.after({.kind = InputKind::Wheel, .x = 90, .y = 60, .dy = 1}) == turned);
    }
    EXPECT_TRUE(endsWith(sender, 0));
}

TEST_F(GlRender, ViewersSteerNothingUnlessAllowed) {
    Verbcast sender({"render", "--size", "320x180", "--once", "--listen", listenAddressFor("shm")}, home_);
    {
        Steering viewer(sender.listenAddress());
        viewer.next();
        EXPECT_FALSE(viewer.receiver().inputAllowed());
        EXPECT_EQ(viewer.receiver().sendInput({.kind = InputKind::PointerMove, .x = 1, .y = 1}), 0U);
        EXPECT_EQ(viewer.next().info.inputSequence, 0U);
    }
    EXPECT_TRUE(endsWith(sender, 0));
}

TEST_F(GlRender, SaysWhatOpenGlIsMissing) {
    const Arguments command{verbcastPath(), "render", "--listen", listenAddressFor("shm")};
    const auto without = [&](const std::string& setting) {
        Arguments arguments{"env", setting};
        arguments.insert(arguments.end(), command.begin(), command.end());
        ChildProcess program(arguments, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, kDisplay));
        EXPECT_TRUE(holds(program.errors(), "no off-screen OpenGL"));
        EXPECT_TRUE(holds(program.errors(), "try: "));
    };
    without("__EGL_VENDOR_LIBRARY_FILENAMES=/dev/null");
    if (renderer_.find("llvmpipe") != std::string::npos) {
        without("MESA_GL_VERSION_OVERRIDE=3.1");
    }
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
