// verbcast send screen as a user runs it.
#include <fmt/format.h>
#include <unistd.h>

#include "tests/app/verbcast_program.h"
#include "tests/capture/x_screen.h"

namespace verbcast::testing {
namespace {

class ScreenProgramTest : public ProgramTest {
  protected:
    static std::string url() { return fmt::format("shm://screen-test-{}", ::getpid()); }

    /// The program ends by itself with the code and says these.
    void expectRefused(const Arguments& arguments, int code, const std::vector<std::string>& says) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, code));
        for (const std::string& part : says) {
            EXPECT_TRUE(holds(program.errors(), part));
        }
    }

    XServer server_{"320x240x24"};
    XClient client_;
};

TEST_F(ScreenProgramTest, FramesArriveAsTheyWereCaptured) {
    client_.draw(client_.showWindow({0, 0, 320, 240}, 0), noisePicture(320, 240, 3));
    Verbcast sender(
        {"send", "screen", "--listen", url(), "--frames", "3", "--once", "--frame-md5", file("sent.md5")},
        home_);
    sender.listenAddress();
    Verbcast viewer({"view", "--headless", url(), "--frame-md5", file("got.md5")}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(holds(viewer.errors(), "320x240 bgra"));
    EXPECT_EQ(md5Lines(file("got.md5")), md5Lines(file("sent.md5")));
    EXPECT_EQ(md5Lines(file("got.md5")).size(), 3U);
}

TEST_F(ScreenProgramTest, MonitorsAreListed) {
    server_.addMonitor("WALL-2", {20, 10, 160, 120});
    Verbcast program({"devices"}, home_);
    EXPECT_TRUE(endsWith(program, 0));
    EXPECT_TRUE(holds(program.output(), "WALL-2  160x120+20+10\n"));
}

TEST_F(ScreenProgramTest, WhatCannotBeSentIsRefused) {
    expectRefused({"send", "screen:monitor=NONE"}, 2, {"\"NONE\"", "try: monitors are: "});
    expectRefused({"send", "screen:rect=320x241+0+0"}, 2, {"320x241+0+0", "320x240 large"});
    expectRefused({"send", "screen:window=1"}, 2, {"window 0x1", "xwininfo"});
    expectRefused({"send", "screen:all"}, 2, {"screen:all", "screen:monitor=NAME"});
    expectRefused({"send", "screen", "--size", "64x64"}, 2, {"own size", "screen:rect="});
    expectRefused({"send", "pattern", "--allow-input"}, 2, {"--allow-input", "pattern bars", "screen"});
    ::unsetenv("DISPLAY");
    expectRefused({"send", "screen"}, 8, {"DISPLAY"});
}

}  // namespace
}  // namespace verbcast::testing
