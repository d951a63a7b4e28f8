// `verbcast run` with third-party programs, on a real X server.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "core/video/frame_md5.h"
#include "tests/app/commands/run/run_fixture.h"

namespace verbcast::testing {
namespace {

/// What known_scene draws, top row first. Only the second band changes, except in every `wholeEach`-th
/// picture.
std::string knownScene(int frame, int width, int height, bool bgra, int wholeEach = 1) {
    std::string pixels;
    for (int row = 0; row < height; ++row) {
        int band = 0;
        while (row >= height * (band + 1) / 4) {
            ++band;
        }
        const int shown = band == 1 ? frame : frame - frame % wholeEach;
        const char red = static_cast<char>(band * 60), green = static_cast<char>(shown % 256),
                   blue = static_cast<char>(200 - band * 50);
        const std::string pixel = bgra ? std::string{blue, green, red} : std::string{red, green, blue};
        for (int column = 0; column < width; ++column) {
            pixels += pixel + '\xff';
        }
    }
    return pixels;
}

struct KnownScene {
    const char* name;
    Arguments arguments;
};

constexpr int kSceneWidth = 333, kSceneHeight = 222;

/// That these are pictures that known_scene has drawn, in order; the first one may come several times.
void expectKnownScene(const nlohmann::json& stats, const std::vector<FrameSum>& sums) {
    EXPECT_EQ(stats.at("width"), kSceneWidth);
    EXPECT_EQ(stats.at("height"), kSceneHeight);
    const bool bgra = stats.at("pixel_format") == "bgra";
    // By checksum, since which frames were captured depends on when the viewer connected.
    std::vector<std::string> expected;
    const VideoFormat format =
        tightFormat(kSceneWidth, kSceneHeight, bgra ? PixelFormat::bgra : PixelFormat::rgba);
    for (int frame = 0; frame < 256; ++frame) {
        const std::string pixels = knownScene(frame, kSceneWidth, kSceneHeight, bgra);
        expected.push_back(frameMd5(format, reinterpret_cast<const std::byte*>(pixels.data())));
    }
    int last = -1;
    std::size_t others = 0;
    for (const FrameSum& sum : sums) {
        const auto found = std::find(expected.begin(), expected.end(), sum.md5);
        ASSERT_NE(found, expected.end()) << "a frame that the program has not drawn";
        const int frame = static_cast<int>(found - expected.begin());
        EXPECT_TRUE(frame > last || (frame == 0 && last == 0)) << frame << " after " << last;
        last = frame;
        others += frame > 0 ? 1 : 0;
    }
    EXPECT_GT(others, 20U);
}

class KnownSceneTest : public RunTest, public ::testing::WithParamInterface<KnownScene> {
  protected:
    void expectItsPixelsToArrive() {
        Arguments program{KNOWN_SCENE_PROGRAM};
        program.insert(program.end(), GetParam().arguments.begin(), GetParam().arguments.end());
        const HeldScene scene(file("go"));
        Verbcast viewer({"view", "--headless", address(), "--once", "--frame-md5", file("md5"),
                         "--stats-json", file("stats")},
                        home_);
        Verbcast running(run(program, {"--fps", "1000", "--policy", "lossless"}), home_);
        EXPECT_TRUE(viewer.waitForError("receiving"));
        scene.begin();
        EXPECT_TRUE(endsWith(running, 0));
        EXPECT_TRUE(endsWith(viewer, 0));
        expectKnownScene(readJson(file("stats")), frameSums(file("md5"), Gaps::Allowed));
    }
};

TEST_P(KnownSceneTest, ItsPixelsArriveAsItDrewThem) {
    expectItsPixelsToArrive();
}

INSTANTIATE_TEST_SUITE_P(Run, KnownSceneTest,
                         ::testing::Values(KnownScene{"glx", {"glx", "250", "333x222"}},
                                           KnownScene{"egl", {"egl", "250", "333x222"}},
                                           KnownScene{"libGL", {"glx", "250", "333x222", "libGL.so.1"}},
                                           KnownScene{"libGLX", {"glx", "250", "333x222", "libGLX.so.0"}},
                                           KnownScene{"libEGL", {"egl", "250", "333x222", "libEGL.so.1"}}),
                         [](const auto& scene) { return std::string(scene.param.name); });

/// Nor does a screen show that a program's pictures are transparent.
class TransparentSceneTest : public KnownSceneTest {};

TEST_P(TransparentSceneTest, PicturesAreOpaque) {
    ::setenv("SCENE_ALPHA", "1", 1);
    expectItsPixelsToArrive();
    ::unsetenv("SCENE_ALPHA");
}

INSTANTIATE_TEST_SUITE_P(Run, TransparentSceneTest,
                         ::testing::Values(KnownScene{"glx", {"glx", "250", "333x222"}},
                                           KnownScene{"egl", {"egl", "250", "333x222"}}),
                         [](const auto& scene) { return std::string(scene.param.name); });

#ifdef VERBCAST_CUDA_DOUBLE

/// With the pictures in a GPU's memory: software OpenGL, over a driver of ours, which finds OpenGL by EGL.
class GpuRun : public RunTest {
  protected:
    void SetUp() override {
        RunTest::SetUp();
        ::setenv("LD_LIBRARY_PATH", VERBCAST_CUDA_DOUBLE, 1);
        ::setenv("CUDA_DOUBLE_LEFT", "1", 1);  // a program that ends does not wait for us
    }
    void TearDown() override {
        for (const char* variable : {"LD_LIBRARY_PATH", "CUDA_DOUBLE_LEFT", "CUDA_DOUBLE_FAIL"}) {
            ::unsetenv(variable);
        }
        RunTest::TearDown();
    }
    /// Runs known_scene until its end, or until it stops to send; what `verbcast run` has said.
    std::string runKnown(const char* binding) {
        const HeldScene scene(file("go"));
        Verbcast viewer({"view", "--headless", address(), "--once", "--frame-md5", file("md5"),
                         "--stats-json", file("stats")},
                        home_);
        Verbcast running(run({KNOWN_SCENE_PROGRAM, binding, "250", "333x222"},
                             {"--fps", "1000", "--policy", "lossless", "--memory", "device", "--stats-json",
                              file("sent")}),
                         home_);
        EXPECT_TRUE(viewer.waitForError("receiving"));
        scene.begin();
        EXPECT_TRUE(endsWith(running, 0));
        EXPECT_TRUE(viewer.waitForEnd());
        EXPECT_EQ(running.errors().find("cuda double"), std::string::npos) << running.errors();
        return running.errors();
    }
};

TEST_F(GpuRun, PicturesStayInTheGpuThatDrawsThem) {
    EXPECT_TRUE(holds(runKnown("egl"), "from the memory of Double 0 (GPU 0)"));
    const auto sums = frameSums(file("md5"), Gaps::Allowed);
    expectKnownScene(readJson(file("stats")), sums);
    const auto sent = readJson(file("sent"));
    EXPECT_GE(sent["bytes_from_device"], sums.size() * kSceneWidth * kSceneHeight * 4) << sent;
    EXPECT_EQ(sent["bytes_copied"], 0);
}

TEST_F(GpuRun, WhereAnotherDeviceDrawsPicturesAreReadBack) {
    EXPECT_TRUE(holds(runKnown("glx"),
                      "pictures are read back, not kept in a GPU's memory: OpenGL does not draw on a GPU of "
                      "CUDA's"));
    expectKnownScene(readJson(file("stats")), frameSums(file("md5"), Gaps::Allowed));
}

TEST_F(GpuRun, WithoutRoomInTheGpuPicturesAreReadBack) {
    ::setenv("CUDA_DOUBLE_FAIL", "cuMemAlloc:2,cuMemCreate:2", 1);
    EXPECT_TRUE(holds(runKnown("egl"), "pictures are read back, not kept in a GPU's memory: cuMem"));
    expectKnownScene(readJson(file("stats")), frameSums(file("md5"), Gaps::Allowed));
}

TEST_F(GpuRun, AProgramOutlivesAGpuThatFails) {
    ::setenv("CUDA_DOUBLE_FAIL", "cuMemcpy2DAsync:719:30", 1);
    const std::string errors = runKnown("egl");
    EXPECT_TRUE(holds(errors, "CUDA_ERROR_LAUNCH_FAILED"));
    EXPECT_TRUE(holds(errors, "the program continues, but nothing more is sent"));
}

#endif

/// Not all of its pictures are captured: the changes of a skipped picture are added to the next one.
TEST_F(RunTest, WhatAProgramSaysHasChangedTravels) {
    constexpr int kWidth = 333, kHeight = 222, kEach = 10;
    for (const std::string changes : {"source", "off"}) {
        const ReservedAddress place("tcp");
        const std::string& to = place.url();
        const HeldScene scene(file("go-" + changes));
        Verbcast viewer({"view", "--headless", to, "--once", "--frame-md5", file("md5-" + changes),
                         "--stats-json", file("stats-" + changes)},
                        home_);
        Verbcast running({"run", "--fps", "70", "--policy", "lossless", "--changes", changes, "--listen", to,
                          "--", KNOWN_SCENE_PROGRAM, "damage", "250", "333x222"},
                         home_);
        EXPECT_TRUE(viewer.waitForError("receiving"));
        scene.begin();
        EXPECT_TRUE(endsWith(running, 0));
        EXPECT_TRUE(endsWith(viewer, 0));
        const auto stats = readJson(file("stats-" + changes));
        const bool bgra = stats.at("pixel_format") == "bgra";
        const VideoFormat format = tightFormat(kWidth, kHeight, bgra ? PixelFormat::bgra : PixelFormat::rgba);
        std::vector<std::string> expected;
        for (int frame = 0; frame < 256; ++frame) {
            const std::string pixels = knownScene(frame, kWidth, kHeight, bgra, kEach);
            expected.push_back(frameMd5(format, reinterpret_cast<const std::byte*>(pixels.data())));
        }
        const auto sums = frameSums(file("md5-" + changes), Gaps::Allowed);
        ASSERT_GT(sums.size(), 20U);
        for (const FrameSum& sum : sums) {
            EXPECT_NE(std::ranges::find(expected, sum.md5), expected.end()) << "one that it has not drawn";
        }
        const double share = stats.at("bytes_moved").get<double>() / stats.at("bytes").get<double>();
        if (changes == "source") {
            EXPECT_LT(share, 0.7);
        } else {
            EXPECT_EQ(share, 1);
        }
    }
}

/// A program changes the whole picture but reports a part: comparing the pictures finds what has really
/// changed.
TEST_F(RunTest, AProgramThatDrawsWithoutSayingSoIsFoundByComparing) {
    for (const std::string changes : {"auto", "compare"}) {
        const ReservedAddress place("tcp");
        const HeldScene scene(file("go-" + changes));
        Verbcast viewer({"view", "--headless", place.url(), "--once", "--frame-md5", file("got-" + changes)},
                        home_);
        Verbcast running(
            {"run", "--policy", "lossless", "--changes", changes, "--frame-md5", file("sent-" + changes),
             "--listen", place.url(), "--", KNOWN_SCENE_PROGRAM, "lie", "150", "333x222"},
            home_);
        EXPECT_TRUE(viewer.waitForError("receiving"));
        scene.begin();
        EXPECT_TRUE(endsWith(running, 0));
        EXPECT_TRUE(endsWith(viewer, 0));
        const auto sent = frameSums(file("sent-" + changes)), got = frameSums(file("got-" + changes));
        ASSERT_GT(sent.size(), 20U);
        ASSERT_EQ(got.size(), sent.size());
        EXPECT_EQ(got == sent, changes == "compare") << changes;
    }
}

TEST_F(RunTest, PicturesAreScaledToTheSizeAskedFor) {
    const HeldScene scene(file("go"));
    Verbcast viewer({"view", "--headless", address(), "--once", "--stats-json", file("stats")}, home_);
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "glx", "100", "320x240"}, {"--size", "640x360"}), home_);
    EXPECT_TRUE(viewer.waitForError("receiving"));
    scene.begin();
    EXPECT_TRUE(endsWith(running, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    const auto stats = readJson(file("stats"));
    EXPECT_EQ(stats.at("width"), 640);
    EXPECT_EQ(stats.at("height"), 360);
    EXPECT_GE(stats.at("frames_received"), 1);
}

/// OpenGL copies pixels with samples and scales others, but not at once.
TEST_F(RunTest, PicturesWithSamplesAreScaledToo) {
    ::setenv("SCENE_SAMPLES", "4", 1);
    const HeldScene scene(file("go"));
    ColourViewer viewer(address());
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "egl", "20", "320x240"}, {"--size", "160x120"}), home_);
    const auto picture = viewer.next();
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->width, 160U);
    EXPECT_EQ(picture->middle, (Colour{120, 0, 100}));
    scene.begin();
    EXPECT_TRUE(endsWith(running, 0));
    ::unsetenv("SCENE_SAMPLES");
}

TEST_F(RunTest, ItSaysAtTheEndWhatItSent) {
    Verbcast viewer({"view", "--headless", address(), "--once"}, home_);
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "glx", "1000000", "320x240"}, {"-v", "--frames", "30"}),
                     home_);
    EXPECT_TRUE(endsWith(running, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(holds(running.errors(), "sent "));
    EXPECT_TRUE(holds(running.errors(), " frames, "));
    EXPECT_TRUE(holds(running.errors(), " dropped"));
    EXPECT_TRUE(holds(running.errors(), "(frames)"));
    EXPECT_EQ(("\n" + running.errors()).find("\n0 frames"), std::string::npos)
        << "there is nothing to tell before the first frame: " << running.errors();

    Verbcast quiet(run({KNOWN_SCENE_PROGRAM, "glx", "3", "320x240"}, {"-q"}), home_);
    EXPECT_TRUE(endsWith(quiet, 0));
    EXPECT_EQ(quiet.errors(), "");
}

TEST_F(RunTest, APreviewSeesTheProgramAndIsNoViewer) {
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "glx", "1000000", "320x240"},
                         {"--preview", address() + "-preview", "--stats-fd", "1"}),
                     home_);
    Verbcast viewer({"view", "--headless", address() + "-preview", "--frames", "10"}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    running.signal(SIGTERM);
    EXPECT_TRUE(endsWith(running, 128 + SIGTERM));
    const std::string stats = running.output();
    EXPECT_TRUE(holds(stats, "\"frames_sent\":0,\"frames_dropped\":0"));
    EXPECT_TRUE(holds(stats, "\"receivers\":[]"));
}

TEST_F(RunTest, TheProgramsExitCodeAndSignalAreItsOwn) {
    Verbcast failing(run({"sh", "-c", "exit 37"}), home_);
    EXPECT_TRUE(endsWith(failing, 37));
    Verbcast anywhere({"run", "--listen", "--", "sh", "-c", "exit 38"}, home_);
    EXPECT_TRUE(endsWith(anywhere, 38)) << "the value of --listen was left out";
    Verbcast killed(run({"sh", "-c", "kill -9 $$"}), home_);
    EXPECT_TRUE(endsWith(killed, 128 + SIGKILL));
}

TEST_F(RunTest, InterruptingEndsTheProgram) {
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "glx", "1000000", "320x240"}), home_);
    ASSERT_TRUE(running.waitForError("can be viewed at"));
    running.signal(SIGTERM);
    EXPECT_TRUE(endsWith(running, 128 + SIGTERM));
}

TEST_F(RunTest, RefusesWhatCannotWork) {
    Verbcast missing(run({"no-such-program-here"}), home_);
    EXPECT_TRUE(endsWith(missing, 3));
    EXPECT_TRUE(holds(missing.errors(), "no-such-program-here"));
    Verbcast silent(run({"true"}), home_);
    EXPECT_TRUE(endsWith(silent, 3));
    EXPECT_TRUE(holds(silent.errors(), "without showing an OpenGL picture"));
    Verbcast nothing({"run"}, home_);
    EXPECT_TRUE(endsWith(nothing, 2));
    EXPECT_TRUE(holds(nothing.errors(), "a program to run expected"));
}

}  // namespace
}  // namespace verbcast::testing
