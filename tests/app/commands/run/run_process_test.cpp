// `verbcast run` with programs that do more than draw: they fork, execute, close descriptors, look up
// functions, and share their process with other libraries that do what ours does. All must work as they do
// without it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/app/commands/run/run_fixture.h"
#include "tests/support/exit_codes.h"
#include "tests/support/kernel_pipe.h"

namespace verbcast::testing {
namespace {

std::string built(const std::string& name) {
    return std::string(RUN_PROGRAMS) + "/" + name;
}

/// Sets an environment variable for the programs started during its lifetime.
class Setting {
  public:
    Setting(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
    ~Setting() { ::unsetenv(name_); }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

  private:
    const char* name_;
};

class RunProcessTest : public RunTest {
  protected:
    /// What a program prints without `verbcast run`.
    std::string printedAlone(const Arguments& program) {
        ChildProcess alone(program, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(alone, 0));
        return alone.output();
    }
    /// The same with `verbcast run`, which exits with 3 when a program shows nothing.
    std::string printedInRun(const Arguments& program) {
        Verbcast running(run(program), home_);
        EXPECT_TRUE(endsWith(running, 3));
        EXPECT_TRUE(holds(running.errors(), "may use Vulkan"));  // our library was loaded
        return running.output();
    }

    Arguments restless(int frames, const std::string& mode) const {
        return {built("restless_scene"), std::to_string(frames), mode, file("written")};
    }

    /// Watches until the program has ended, and lets it begin. Returns the numbers of the pictures, all from
    /// one connection.
    std::vector<int> watch(ColourViewer& viewer, Verbcast& running) {
        EXPECT_TRUE(viewer.next());
        scene_.begin();
        std::vector<int> numbers;
        for (bool more = true; more;) {
            more = running.running();
            while (const auto picture = viewer.next(std::chrono::milliseconds(100))) {
                EXPECT_EQ(picture->middle.red, 255);
                numbers.push_back(picture->middle.green);
            }
        }
        EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
        EXPECT_EQ(viewer.receiver().stats().connections, 1U);
        return numbers;
    }

    const HeldScene scene_{file("go")};
};

TEST_F(RunProcessTest, LookUpsFindWhatTheyFindAlone) {
    for (const Arguments& program :
         {Arguments{built("lookups"), built("libother_egl.so")},
          Arguments{built("plugin_host"), built("liblookups_plugin.so"), built("libother_egl.so")}}) {
        const std::string alone = printedAlone(program);
        EXPECT_TRUE(holds(alone, "default nameOfThisObjectAlone: this object\n"));
        EXPECT_TRUE(holds(alone, "other: libother_egl.so\n"));
        EXPECT_EQ(printedInRun(program), alone);
    }
}

struct Company {
    const char* name;
    const char* library;  // also preloaded
    bool first;           // before ours
    Arguments scene;      // of known_scene
    friend void PrintTo(const Company& company, std::ostream* out) { *out << company.name; }
};

class CompanyTest : public RunProcessTest, public ::testing::WithParamInterface<Company> {};

/// Puts the library before what verbcast run has set.
Arguments withPreloadFirst(const std::string& library, const Arguments& program) {
    Arguments arguments{"sh", "-c", "LD_PRELOAD=\"$0:$LD_PRELOAD\" exec \"$@\"", library};
    arguments.insert(arguments.end(), program.begin(), program.end());
    return arguments;
}

TEST_P(CompanyTest, BothLibrariesAreCalled) {
    const Company& company = GetParam();
    const std::string library = built(fmt::format("lib{}.so", company.library));
    Arguments program{KNOWN_SCENE_PROGRAM};
    program.insert(program.end(), company.scene.begin(), company.scene.end());
    const Setting preload("LD_PRELOAD", company.first ? "" : library);
    if (company.first) {
        program = withPreloadFirst(library, program);
    }
    ColourViewer viewer(address());
    Verbcast running(run(program), home_);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(viewer.next());
    }
    scene_.begin();
    EXPECT_TRUE(endsWith(running, 0));
    const std::string errors = running.errors();
    const auto numberAfter = [&](const std::string& name) {
        const std::size_t at = errors.find(name + ": ");
        return at == std::string::npos ? 0 : std::atoi(errors.c_str() + at + name.size() + 2);
    };
    EXPECT_GE(numberAfter("known_scene"), 200) << errors;
    EXPECT_EQ(numberAfter(company.library), numberAfter("known_scene")) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    Run, CompanyTest,
    ::testing::Values(
        Company{"counting_behind_glx", "counting_preload", false, {"glx", "200", "320x240"}},
        Company{"counting_before_glx", "counting_preload", true, {"glx", "200", "320x240"}},
        Company{"counting_behind_egl", "counting_preload", false, {"egl", "200", "320x240"}},
        Company{"counting_before_egl", "counting_preload", true, {"egl", "200", "320x240"}},
        Company{"looking_behind_glx", "looking_preload", false, {"glx", "200", "320x240"}},
        Company{"looking_behind_egl", "looking_preload", false, {"egl", "200", "320x240"}},
        Company{"looking_behind_dlopen", "looking_preload", false, {"glx", "200", "320x240", "libGL.so.1"}}),
    [](const auto& company) { return std::string(company.param.name); });

TEST_F(RunProcessTest, OptionsOfTheProgramAreItsOwn) {
    EXPECT_EQ(printedInRun({"env", "--version"}), printedAlone({"env", "--version"}));
}

/// Of which the dynamic linker would make three names.
TEST_F(RunProcessTest, AnInstallationMayLieAnywhere) {
    const std::filesystem::path own = verbcastPath(), folder = file("a folder: ours");
    std::filesystem::create_directory(folder);
    std::filesystem::copy_file(own, folder / "verbcast");
    const Setting program("VERBCAST_PROGRAM", folder / "verbcast");
    Verbcast without(run({"true"}), home_);
    EXPECT_TRUE(endsWith(without, kDisplay));
    EXPECT_TRUE(holds(without.errors(), "libverbcast-run.so is missing"));
    std::ofstream(folder / "CMakeCache.txt").close();
    Verbcast unbuilt(run({"true"}), home_);
    EXPECT_TRUE(endsWith(unbuilt, kDisplay));
    EXPECT_TRUE(holds(unbuilt.errors(),
                      fmt::format("build it: cmake --build '{}' --target verbcast_run", folder.string())));
    std::filesystem::copy_file(own.parent_path() / "libverbcast-run.so", folder / "libverbcast-run.so");
    EXPECT_EQ(printedInRun({"echo", "loaded"}), "loaded\n");
}

TEST_F(RunProcessTest, OpenGlInAPluginsOwnScopeIsSeen) {
    for (const char* api : {"glx", "egl"}) {
        SCOPED_TRACE(api);
        Verbcast running(
            run({built("plugin_host"), built("libknown_scene_plugin.so"), api, "100000", "320x240"}), home_);
        {
            ColourViewer viewer(address());
            EXPECT_TRUE(viewer.next());
            EXPECT_TRUE(viewer.next());
        }
        EXPECT_TRUE(endsBySignal(running));
    }
}

TEST_F(RunProcessTest, ChildrenThatEndLeaveTheStreamAlone) {
    constexpr int kFrames = 150;
    Verbcast running(run(restless(kFrames, "forks")), home_);
    ColourViewer viewer(address());
    const auto numbers = watch(viewer, running);
    ASSERT_FALSE(numbers.empty());
    EXPECT_GT(numbers.back(), kFrames - 20);
    EXPECT_TRUE(endsWith(running, 0));
}

TEST_F(RunProcessTest, OtherThreadsWindowsAreLeftAlone) {
    constexpr int kFrames = 150;
    Verbcast running(run(restless(kFrames, "threads")), home_);
    ColourViewer viewer(address());
    const auto numbers = watch(viewer, running);
    ASSERT_FALSE(numbers.empty());
    EXPECT_GT(numbers.back(), kFrames - 20);
    EXPECT_TRUE(endsWith(running, 0));
}

class WindowsTest : public RunProcessTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(WindowsTest, TheWindowThatIsShownIsTheOneThatIsSent) {
    constexpr int kFrames = 250;  // that windows are looked after takes 0.1 s
    Verbcast running(run(restless(kFrames, GetParam())), home_);
    ColourViewer viewer(address());
    const auto numbers = watch(viewer, running);
    ASSERT_FALSE(numbers.empty());
    EXPECT_GT(numbers.back(), kFrames - 20);
    EXPECT_TRUE(endsWith(running, 0));
    if (GetParam() != std::string("helper")) {  // nobody may have watched the first one
        EXPECT_TRUE(holds(running.errors(), "shows another window"));
    }
}

INSTANTIATE_TEST_SUITE_P(Run, WindowsTest, ::testing::Values("helper", "remade", "splash"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_F(RunProcessTest, AWindowThatIsNotReadIsNotTaken) {
    Verbcast running(run(restless(20, "both")), home_);
    ColourViewer viewer(address());
    const auto picture = viewer.next();
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->width, 320U);
    EXPECT_FALSE(watch(viewer, running).empty());
    EXPECT_TRUE(endsWith(running, 0));
}

/// Each change of context would take three more pictures of the graphics memory.
TEST_F(RunProcessTest, OneOfTheContextsThatTakeTurnsIsEnough) {
    Verbcast running(run(restless(40, "turns")), home_);
    ColourViewer viewer(address());
    EXPECT_GT(watch(viewer, running).size(), 5U);
    EXPECT_TRUE(endsWith(running, 0));
    const std::string errors = running.errors();
    const std::size_t made = errors.find("sending 320x240");
    ASSERT_NE(made, std::string::npos) << errors;
    EXPECT_EQ(errors.find("sending 320x240", made + 1), std::string::npos) << errors;
}

TEST_F(RunProcessTest, AnEndOfEglIsAnEndOfAllOfIt) {
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "ends", "60", "320x240"}), home_);
    ColourViewer viewer(address());
    ASSERT_TRUE(viewer.next());
    scene_.begin();
    constexpr int kLate = 30;
    EXPECT_TRUE(viewer.awaitPicture([](const SeenPicture& picture) { return picture.middle.green > kLate; }));
    EXPECT_TRUE(viewer.awaitPicture([](const SeenPicture& picture) { return picture.middle.green < kLate; }));
    EXPECT_TRUE(viewer.awaitPicture([](const SeenPicture& picture) { return picture.middle.green > kLate; }));
    EXPECT_TRUE(endsWith(running, 0));
}

TEST_F(RunProcessTest, AWindowThatFollowsIsAskedForItsPicture) {
    constexpr int kFrames = 60;
    Verbcast running(run(restless(kFrames, "quiet")), home_);
    ColourViewer viewer(address());
    ASSERT_TRUE(viewer.next());
    scene_.begin();
    EXPECT_TRUE(viewer.awaitColour({255, kFrames, 255}));
    EXPECT_TRUE(endsBySignal(running));
}

TEST_F(RunProcessTest, WhatAProgramHasStartedEndsWithIt) {
    const std::string scene = KNOWN_SCENE_PROGRAM;
    for (const std::string& script :
         {scene + " glx 1000000 320x240; true", "(" + scene + " glx 1000000 320x240; true) & wait; true"}) {
        Verbcast running(run({"sh", "-c", script}), home_);
        ASSERT_TRUE(running.waitForError("can be viewed at"));
        EXPECT_TRUE(endsBySignal(running));
        // The address is free: nothing of it runs.
        Verbcast next(run({KNOWN_SCENE_PROGRAM, "glx", "3", "320x240"}), home_);
        EXPECT_TRUE(next.waitForError("can be viewed at"));
        EXPECT_TRUE(endsBySignal(next));
    }
}

TEST_F(RunProcessTest, AProgramWithASessionOfItsOwnIsEndedToo) {
    Verbcast running(run({"setsid", KNOWN_SCENE_PROGRAM, "glx", "1000000", "320x240"}), home_);
    ASSERT_TRUE(running.waitForError("can be viewed at"));
    running.signal(SIGTERM);
    EXPECT_TRUE(endsWith(running, 128 + SIGTERM));
}

TEST_F(RunProcessTest, AProgramThatIgnoresSignalsIsKilled) {
    Verbcast running(
        run({"sh", "-c", std::string("trap '' TERM; ") + KNOWN_SCENE_PROGRAM + " glx 1000000 320x240"}),
        home_);
    ASSERT_TRUE(running.waitForError("can be viewed at"));
    running.signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));  // those within half a second are one
    running.signal(SIGTERM);
    EXPECT_TRUE(endsWith(running, 128 + SIGKILL));
    EXPECT_TRUE(holds(running.errors(), "did not end when asked to (SIGTERM), and was killed"));
}

TEST_F(RunProcessTest, AViewerIsToldWhyAProgramCannotBeSent) {
    const Setting old("MESA_GL_VERSION_OVERRIDE", "2.1");
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "glx", "1000000", "320x240"}), home_);
    Verbcast viewer({"view", "--headless", address(), "--once"}, home_);
    EXPECT_TRUE(viewer.waitForEnd());
    EXPECT_TRUE(holds(viewer.errors(), "OpenGL 2.1: reading back without holding it up needs OpenGL 3.2"));
    EXPECT_TRUE(endsBySignal(running));
}

TEST_F(RunProcessTest, AProgramOfAnOldOpenGlEsRunsOn) {
    const Setting old("MESA_GLES_VERSION_OVERRIDE", "2.0");
    Verbcast running(run({"es2gears_x11"}), home_);
    Verbcast viewer({"view", "--headless", address(), "--once"}, home_);
    EXPECT_TRUE(viewer.waitForEnd());
    EXPECT_TRUE(holds(viewer.errors(), "the program uses OpenGL ES 2.0"));
    EXPECT_TRUE(endsBySignal(running));
}

TEST_F(RunProcessTest, AChildThatOutlivesTheProgramHoldsNothingOfItsStream) {
    KernelPipe line;
    Arguments listening{"run", "--listen", "tcp://127.0.0.1:0", "--"};
    const Arguments program = restless(200, "stays");
    listening.insert(listening.end(), program.begin(), program.end());
    Verbcast running(listening, home_, line.reading.get());
    ASSERT_TRUE(running.waitForError("can be viewed at tcp://"));
    std::string address = running.errors();
    address = address.substr(address.find("tcp://"));
    address = address.substr(0, address.find('\n'));
    ColourViewer viewer(address);
    EXPECT_FALSE(watch(viewer, running).empty());
    EXPECT_EQ(running.waitForEnd(), 0);
    // The child is still alive.
    listening[2] = address;
    listening[listening.size() - 2] = "rests";
    Verbcast next(listening, home_);
    EXPECT_TRUE(next.waitForError("can be viewed at " + address));
    EXPECT_TRUE(endsWith(next, 0));
    line.writing.reset();
}

TEST_F(RunProcessTest, DescriptorsOfOursAreOutOfTheProgramsReach) {
    constexpr int kFrames = 120;
    Verbcast running(run(restless(kFrames, "closes"), {"--stats-fd", "1"}), home_);
    ColourViewer viewer(address());
    const auto numbers = watch(viewer, running);
    ASSERT_FALSE(numbers.empty());
    EXPECT_GT(numbers.back(), kFrames - 20);
    EXPECT_TRUE(endsWith(running, 0));
    EXPECT_TRUE(holds(running.output(), "\"frames_sent\":"));
}

TEST_F(RunProcessTest, AProgramThatBecomesAnotherIsSeenAgain) {
    scene_.begin();
    Verbcast running(run(restless(100, "execs")), home_);
    EXPECT_TRUE(running.waitForError("can be viewed at"));
    const std::size_t mark = running.errorMark();
    EXPECT_TRUE(running.waitForError("can be viewed at", mark));
    EXPECT_TRUE(endsWith(running, 0));
}

/// A launcher that closes the descriptors it inherited, or opens files of its own with those numbers.
TEST_F(RunProcessTest, LaunchersMayCloseAndReplaceDescriptors) {
    for (const std::string redirection : {"<&-", "<>\"$0\"$i"}) {
        SCOPED_TRACE(redirection);
        const std::string script = fmt::format(
            "i=3; while [ $i -lt 20 ]; do eval \"exec $i{}\"; i=$((i+1)); done; exec \"$@\"", redirection);
        const HeldScene scene(file(fmt::format("go-{}", redirection.size())));
        ColourViewer viewer(address());
        Verbcast running(run({"bash", "-c", script, file("own"), KNOWN_SCENE_PROGRAM, "glx", "60", "320x240"},
                             {"--stats-fd", "1"}),
                         home_);
        EXPECT_TRUE(viewer.next());
        scene.begin();
        EXPECT_TRUE(endsWith(running, 0));
        EXPECT_TRUE(holds(running.output(), "\"frames_sent\":"));
        for (const std::string& name : files_.names()) {
            EXPECT_EQ(std::ifstream(file(name)).peek(), EOF) << name;
        }
    }
}

TEST_F(RunTest, TheStreamsEndEndsTheProgram) {
    const Arguments options{"--stats-json", file("sent.json"), "--frame-md5",
                            file("sent"),   "--policy",        "lossless"};
    Verbcast running(run({"glxgears"}, options + Arguments{"--frames", "20", "--size", "64x48"}), home_);
    Verbcast viewer({"view", "--headless", "--once", address(), "--frame-md5", file("seen")}, home_);
    EXPECT_TRUE(endsWith(running, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    const auto stats = readJson(file("sent.json"));
    EXPECT_EQ(stats["frames_sent"], 20);
    EXPECT_EQ(stats["frames_dropped"], 0);
    EXPECT_EQ(stats["exit_reason"], "frames");
    const auto sent = frameSums(file("sent")), seen = frameSums(file("seen"));
    ASSERT_EQ(sent.size(), 20U);
    ASSERT_EQ(seen.size(), 20U);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ(sent[i].md5, seen[i].md5) << i;
    }
}

TEST_F(RunTest, OnceEndsTheProgramWithItsViewer) {
    Verbcast running(run({"glxgears"}, {"--once", "--stats-json", file("stats")}), home_);
    Verbcast viewer({"view", "--headless", address(), "--frames", "5"}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(running, 0));
    EXPECT_EQ(readJson(file("stats"))["exit_reason"], "receiver left");
}

TEST_F(RunTest, SecondsAreThoseOfTheStream) {
    Verbcast running(run({"glxgears"}, {"--seconds", "0.3", "--stats-json", file("stats")}), home_);
    Verbcast viewer({"view", "--headless", "--once", address()}, home_);
    EXPECT_TRUE(endsWith(running, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_EQ(readJson(file("stats"))["exit_reason"], "duration");
    EXPECT_GE(readJson(file("stats"))["frames_sent"], 1);
}

TEST_F(RunTest, AViewerIsWaitedForAsLongAsAsked) {
    Verbcast running(run({"glxgears"}, {"--wait", "0.3"}), home_);
    EXPECT_TRUE(endsWith(running, kNetwork));
    EXPECT_TRUE(holds(running.errors(), "no viewer came"));
}

TEST_F(RunTest, AnInterruptLeavesStatistics) {
    Verbcast running(run({"glxgears"}, {"--stats-json", file("stats"), "-q"}), home_);
    ColourViewer viewer(address());
    ASSERT_TRUE(viewer.next());
    running.signal(SIGINT);
    EXPECT_TRUE(running.waitForEnd().has_value());
    EXPECT_EQ(readJson(file("stats"))["exit_reason"], "interrupted");
    EXPECT_EQ(running.errors(), "");
}

}  // namespace
}  // namespace verbcast::testing
