#include "core/base/log/log.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/unique_fd.h"
#include "tests/support/expectations.h"
#include "tests/support/kept_log.h"

namespace verbcast::testing {
namespace {

class Log : public ::testing::Test {
  protected:
    ~Log() override {
        ::unsetenv("VERBCAST_LOG");
        setLogSink(nullptr);
        setLogLevel(spdlog::level::warn);
    }

    std::shared_ptr<KeptLog> kept_ = std::make_shared<KeptLog>();
};

TEST_F(Log, SaysNothingByItself) {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    log().critical("nobody asked");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST_F(Log, GoesWhereItIsSentUntilItIsSentElsewhere) {
    setLogSink(kept_);
    log().warn("one");
    log(LogCategory::Tcp).error("{}", "two");
    log().info("below the level");
    setLogSink(nullptr);
    log().error("into the void");
    EXPECT_EQ(kept_->texts, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(kept_.use_count(), 1) << "and is not held";
}

TEST_F(Log, IsCopiedToASecondSinkFromItsLevelOn) {
    const auto copy = std::make_shared<KeptLog>();
    copy->set_level(spdlog::level::err);
    copyLogTo(copy);
    log().error("nobody reads standard error");
    setLogSink(kept_);
    log().warn("one");
    log().error("two\x07");
    copyLogTo(nullptr);
    log().error("three");
    EXPECT_EQ(kept_->texts, (std::vector<std::string>{"one", "two?", "three"}));
    EXPECT_EQ(copy->texts, (std::vector<std::string>{"nobody reads standard error", "two?"}));
    EXPECT_EQ(copy.use_count(), 1) << "and is not held";
}

TEST_F(Log, WhatPeersSayCannotSteerTheTerminal) {
    setLogSink(kept_);
    log().warn("{} is called\n{}", "\x1b]0;x\x07", "\u202eevil\xff");
    EXPECT_EQ(kept_->texts, std::vector<std::string>{"?]0;x? is called??evil?"});
}

TEST_F(Log, LevelsAreSetForAllAndForSome) {
    setLogSink(kept_);
    setLogLevels("info,tcp:debug,session:off");
    log().debug("no");
    log().info("general info");
    log(LogCategory::Tcp).debug("tcp debug");
    log(LogCategory::Session).critical("no");
    setLogLevel(spdlog::level::err);
    log(LogCategory::Tcp).warn("no");
    EXPECT_EQ(kept_->texts, (std::vector<std::string>{"general info", "tcp debug"}));
}

TEST_F(Log, WordsThatMeanNothingAreRefusedAndChangeNothing) {
    for (const char* wrong : {"loud", "tcp:debug,tpc:debug", "tcp:", ":debug", "debug,,info", "tcp=debug"}) {
        const Error error = thrownBy([&] { setLogLevels(wrong); });
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
        EXPECT_TRUE(error.remedy().find("verbs") != std::string::npos ||
                    error.remedy().find("debug, info, warn") != std::string::npos)
            << error.remedy();
    }
    EXPECT_EQ(log(LogCategory::Tcp).level(), spdlog::level::warn);
    EXPECT_NO_THROW(setLogLevels(""));
}

TEST_F(Log, AProgramWritesToStderrAsTheEnvironmentWantsIt) {
    ::testing::internal::CaptureStderr();
    logToStderr();
    log().warn("seen");
    log().info("not seen");
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_TRUE(std::regex_match(said, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d )"
                                                  R"(\[general\] verbcast: warning: seen\n)")))
        << said << "stderr is no terminal here";
    ASSERT_EQ(::setenv("VERBCAST_LOG", "verbs:debug", 1), 0);
    logToStderr(spdlog::level::err);
    EXPECT_EQ(log().level(), spdlog::level::err);
    EXPECT_EQ(log(LogCategory::Verbs).level(), spdlog::level::debug);
    ASSERT_EQ(::setenv("VERBCAST_LOG", "tcp:loud", 1), 0);
    const Error error = thrownBy([&] { logToStderr(); });
    EXPECT_TRUE(contains(error.what(), "VERBCAST_LOG: loud"));
}

TEST_F(Log, ATerminalGetsNoTimesUnlessDebugging) {
    int terminal = -1, program = -1;
    ASSERT_EQ(::openpty(&terminal, &program, nullptr, nullptr, nullptr), 0);
    const UniqueFd terminalEnd(terminal), programEnd(program);
    const UniqueFd saved(::dup(STDERR_FILENO));
    const auto said = [&](const char* levels) {
        ::dup2(programEnd.get(), STDERR_FILENO);
        ::setenv("VERBCAST_LOG", levels, 1);
        logToStderr();
        log(LogCategory::Stream).warn("seen");
        ::dup2(saved.get(), STDERR_FILENO);
        std::array<char, 256> text{};
        const ssize_t got = ::read(terminalEnd.get(), text.data(), text.size());
        return std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    };
    EXPECT_TRUE(said("warn").starts_with("verbcast: "));
    EXPECT_TRUE(contains(said("tcp:debug"), " [stream] verbcast: "));
}

TEST_F(Log, TheSinkGetsOneMessageAtATimeAndNoneAfterItIsReplaced) {
    setLogSink(kept_);
    constexpr int kThreads = 4, kMessages = 500;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([i] {
                for (int message = 0; message < kMessages; ++message) {
                    log(static_cast<LogCategory>(i)).warn("{}", message);
                }
            });
        }
    }
    EXPECT_EQ(kept_->texts.size(), std::size_t{kThreads} * kMessages);

    std::jthread busy([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            log().warn("on and on");
        }
    });
    setLogSink(nullptr);
    const std::size_t before = kept_->texts.size();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(kept_->texts.size(), before);
}

}  // namespace
}  // namespace verbcast::testing
