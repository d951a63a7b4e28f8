// send --sync, and headless viewers that take part in it.
#include <csignal>

#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Json = nlohmann::json;

class TogetherProgram : public ProgramTest {
  protected:
    std::unique_ptr<Verbcast> send(const std::string& mode, const Arguments& more = {}) {
        Arguments arguments{"send",         "pattern",     "--size",   "64x48",
                            "--fps",        "100",         "--listen", listenAddressFor("shm"),
                            "--policy",     "lossless",    "--sync",   mode,
                            "--stats-json", file("sender")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return std::make_unique<Verbcast>(arguments, home_);
    }
    std::unique_ptr<Verbcast> view(Verbcast& sender, const std::string& name, const Arguments& more) {
        Arguments arguments{"view",         "--headless", "--once", sender.listenAddress(),
                            "--stats-json", file(name)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return std::make_unique<Verbcast>(arguments, home_);
    }
};

TEST_F(TogetherProgram, ViewersThatTakePartTellOfItAndOthersDoNot) {
    const auto sender = send("hold");
    const auto one = view(*sender, "one", {"--frame-lock", "on"});
    ASSERT_TRUE(one->waitForError("receiving ")) << one->errors();
    const auto two = view(*sender, "two", {"--frame-lock", "on", "--frames", "100"});
    const auto recorder = view(*sender, "recorder", {"--frames", "10"});
    EXPECT_TRUE(endsWith(*two, 0));
    EXPECT_TRUE(endsWith(*recorder, 0));
    sender->signal(SIGINT);
    EXPECT_TRUE(endsWith(*sender, 130));
    EXPECT_TRUE(endsWith(*one, 0));
    const Json frameLock = readJson(file("sender"))["together"];
    EXPECT_EQ(frameLock["mode"], "hold");
    EXPECT_GT(frameLock["frames"].get<int>(), 0);
    ASSERT_EQ(frameLock["displays"].size(), 2U);
    EXPECT_EQ(frameLock["displays"][0]["shown_by"], "the timer (no screen)");
    EXPECT_EQ(frameLock["displays"][0]["clock"], "the same host's");
    EXPECT_EQ(frameLock["displays"][0]["clock_error_us"], 0);
    EXPECT_GT(frameLock["longest_delay_ms"].get<double>(), 0);
    EXPECT_NE(sender->errors().find("shown together (hold)"), std::string::npos) << sender->errors();
    const Json own = readJson(file("one"))["together"]["own"];
    EXPECT_GT(own["frames_shown"].get<int>(), 0);
    EXPECT_NE(one->errors().find("this display"), std::string::npos) << one->errors();
    EXPECT_FALSE(readJson(file("recorder")).contains("together"));
}

TEST_F(TogetherProgram, ALosslessStreamIsShownToItsEnd) {
    const auto sender = send("hold", {"--frames", "200", "--once"});
    const auto one = view(*sender, "one", {"--frame-lock", "on"});
    EXPECT_TRUE(endsWith(*one, 0));
    EXPECT_TRUE(endsWith(*sender, 0));
    const Json viewer = readJson(file("one"));
    EXPECT_EQ(viewer["frames_shown"], 200);
    EXPECT_EQ(viewer["frames_skipped"], 0);
}

TEST_F(TogetherProgram, WhatCannotBeIsRefused) {
    Verbcast unknown({"send", "pattern", "--sync", "wait"}, home_);
    EXPECT_TRUE(endsWith(unknown, kUsage));
    EXPECT_NE(unknown.errors().find("--sync wait: hold or go expected"), std::string::npos)
        << unknown.errors();
    Verbcast both({"view", "--headless", "--sync", "--no-sync"}, home_);
    EXPECT_TRUE(endsWith(both, kUsage));
    EXPECT_NE(both.errors().find("--sync is now --frame-lock on"), std::string::npos) << both.errors();
    Verbcast several({"view", "--headless", "--frame-lock", "on", "shm://a", "shm://b"}, home_);
    EXPECT_TRUE(endsWith(several, kUsage));
    EXPECT_NE(several.errors().find("use --align"), std::string::npos) << several.errors();
}

}  // namespace
}  // namespace verbcast::testing
