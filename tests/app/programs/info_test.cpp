// What the program reports about itself, and which libraries it does not load.
#include <fstream>
#include <sstream>

#include "core/video/video_format.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class InfoTest : public ProgramAndFfmpegTest {
  protected:
    /// Standard output of `verbcast ARGUMENTS`, which exits with 0 and writes nothing to stderr.
    std::string ask(const Arguments& arguments) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, 0));
        EXPECT_EQ(program.errors(), "");
        return program.output();
    }
};

TEST_F(InfoTest, HelpNamesCommandsAddressesAndExitCodes) {
    const std::string text = ask({"--help"});
    for (const char* part : {"send", "view", "formats", "devices", "--version", "verbs://host:port",
                             "tcp://host:port", "shm://name", "port 7423", "Exit codes: 0 done", "2 usage",
                             "3 input", "4 network", "9 damaged", "130 interrupted"}) {
        EXPECT_TRUE(holds(text, part));
    }
    EXPECT_EQ(ask({"-h"}), text);
}

TEST_F(InfoTest, HelpOfSendNamesItsOptions) {
    const std::string text = ask({"send", "--help", "all"});
    for (const char* part : {"Usage: verbcast send ",
                             "SOURCE",
                             "pattern",
                             "stdin",
                             "--to URL",
                             "--listen [ADDRESS]",
                             "--wait S",
                             "--format NAME",
                             "--size WxH",
                             "--fps N|source|max",
                             "--loop",
                             "--frames N",
                             "--seconds S",
                             "latest|lossless",
                             "screen[:",
                             "--allow-input",
                             "--slots N",
                             "--poll",
                             "--once",
                             "--stats-json FILE",
                             "--frame-md5 FILE",
                             "--verbose",
                             "--quiet",
                             "Examples:"}) {
        EXPECT_TRUE(holds(text, part));
    }
}

TEST_F(InfoTest, HelpSaysWhatIsCounted) {
    for (const char* command : {"send", "render", "run", "relay", "view"}) {
        const std::string text = ask({"help", command, "all"});
        for (const char* part : {"frame is dropped if", "lost if", "skipped if", "paused viewer", "--once"}) {
            EXPECT_TRUE(holds(text, part)) << command;
        }
    }
}

/// One vocabulary: the options of every command that connects to a peer or moves data.
TEST_F(InfoTest, EveryCommandHasTheSameOptions) {
    for (const Arguments& command : std::vector<Arguments>{{"send"},
                                                           {"render"},
                                                           {"run"},
                                                           {"relay"},
                                                           {"view"},
                                                           {"pipe", "send"},
                                                           {"pipe", "recv"},
                                                           {"pipe", "relay"}}) {
        const std::string text = ask(command + Arguments{"--help", "all"});
        for (const char* part :
             {"--listen [ADDRESS]", "--wait S", "--stats-json FILE", "-q, --quiet", "-v, --verbose"}) {
            EXPECT_TRUE(holds(text, part)) << command.back();
        }
        const bool sends = command.back() == "send" || command.back() == "render" || command.back() == "run";
        EXPECT_TRUE(holds(text, sends ? "--to URL" : "--from URL")) << command.back();
        EXPECT_EQ(command.back() == "relay", text.find("--from-listen [ADDRESS]") != std::string::npos);
    }
    const std::string text = ask({"pipe", "run", "--help", "all"});
    EXPECT_TRUE(holds(text, "--stats-json FILE"));
    EXPECT_TRUE(holds(text, "-q, --quiet"));
}

TEST_F(InfoTest, HelpOfViewNamesItsOptions) {
    const std::string text = ask({"help", "view", "all"});
    for (const char* part : {"Usage: verbcast view ", "URL", "--from URL", "--listen [ADDRESS]", "--headless",
                             "--fullscreen", "--snapshot FILE.png", "--upload", "--frames N", "--seconds S",
                             "--stats-json FILE", "--frame-md5 FILE", "Examples:"}) {
        EXPECT_TRUE(holds(text, part));
    }
}

TEST_F(InfoTest, VersionNamesLibraries) {
    const std::string text = ask({"--version"});
    EXPECT_EQ(ask({"-V"}), text);
    for (const char* part : {"verbcast ", "FFmpeg ", "rdma-core"}) {
        EXPECT_TRUE(holds(text, part));
    }
    // The library that is actually loaded, as its own program reports it: "ffmpeg version 5.1.6-0+deb12u1
    // ...".
    std::istringstream words(ffmpeg({"-version"}));
    std::string program, word, version;
    words >> program >> word >> version;
    ASSERT_NE(version, "");
    EXPECT_TRUE(holds(text, "FFmpeg " + version));
}

TEST_F(InfoTest, FormatsAreListedWithPatterns) {
    const std::string text = ask({"formats"});
    for (const char* name :
         {"rgba", "bgra", "rgb24", "x2rgb10le", "yuv420p", "nv12", "yuv422p", "uyvy422", "yuyv422", "yuv444p",
          "yuv420p10le", "p010le", "yuv422p10le", "yuv444p10le", "gray", "v210"}) {
        EXPECT_TRUE(holds(text, "\n" + std::string(name) + " "));
    }
    for (const char* pattern : {"bars", "gradient", "noise", "zone", "counter", "flash"}) {
        EXPECT_TRUE(holds(text, "\n  " + std::string(pattern) + " "));
    }
}

TEST_F(InfoTest, DevicesAreListedByKind) {
    const std::string text = ask({"devices"});
    for (const char* part :
         {"Transports, the best first\n  shm ", "RDMA devices", "GPUs: ", "Capture devices\n", "portal",
          "Monitors ", "Sound outputs (verbcast view --audio NAME)\n  ",
          "Sound inputs (verbcast send --audio NAME)\n  ", "Windows\n", "OpenGL renderer\n"}) {
        EXPECT_TRUE(holds(text, part));
    }
}

TEST_F(InfoTest, WithoutASoundServerItIsSaid) {
    // No runtime folder, where PipeWire's socket would be.
    ChildProcess devices({"/usr/bin/env", "-u", "PIPEWIRE_REMOTE", "-u", "PIPEWIRE_RUNTIME_DIR",
                          "XDG_RUNTIME_DIR=" + home_.path(), verbcastPath(), "devices"},
                         {.folder = home_.path()});
    ASSERT_EQ(devices.waitForEnd(), 0) << devices.errors();
    EXPECT_TRUE(devices.output().find("  none: no PipeWire runs\n") != std::string::npos ||
                devices.output().find("  none: compiled without libpipewire\n") != std::string::npos)
        << devices.output();
}

/// The files mapped into a running program.
std::string loadedFiles(const ChildProcess& program) {
    std::ifstream maps("/proc/" + std::to_string(program.pid()) + "/maps");
    std::ostringstream text;
    text << maps.rdbuf();
    return text.str();
}

void expectNeitherQtNorOpenGlNorFfmpeg(const ChildProcess& program) {
    const std::string loaded = loadedFiles(program);
    ASSERT_TRUE(holds(loaded, "libc.so"));
    for (const char* name : {"libQt", "libGL.", "libGLX", "libEGL", "libOpenGL", "libepoxy", "libgallium",
                             "_dri.so", "libavcodec", "libavformat"}) {
        EXPECT_EQ(loaded.find(name), std::string::npos) << name << " is loaded";
    }
}

TEST_F(InfoTest, SenderAndHeadlessViewLoadNeitherQtNorOpenGlNorFfmpeg) {
    Verbcast viewer({"view", "--headless", "--listen", "tcp://127.0.0.1:0"}, home_);
    Verbcast sender({"send", "pattern", "--size", "64x64", "--to", viewer.listenAddress()}, home_);
    ASSERT_TRUE(viewer.waitForError("receiving"));
    expectNeitherQtNorOpenGlNorFfmpeg(viewer);
    expectNeitherQtNorOpenGlNorFfmpeg(sender);
    sender.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 130));
    EXPECT_TRUE(endsWith(viewer, 0));
}

}  // namespace
}  // namespace verbcast::testing
