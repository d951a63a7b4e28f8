#include "core/base/log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"

namespace verbcast {
namespace {

/// Not locked: the logger promises one message at a time.
class Kept final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    std::vector<std::string> texts;

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        texts.emplace_back(message.payload.data(), message.payload.size());
    }
    void flush_() override {}
};

class Log : public ::testing::Test {
  protected:
    ~Log() override {
        ::unsetenv("VERBCAST_LOG");
        setLogSink(nullptr);
        setLogLevel(spdlog::level::warn);
    }

    std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
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

TEST_F(Log, WhatStrangersSayCannotSteerTheTerminal) {
    setLogSink(kept_);
    log().warn("{} is called\n{}", "\x1b]0;x\x07", "\u202eevil\xff");
    EXPECT_EQ(kept_->texts, std::vector<std::string>{"?]0;x? is called??evil?"});
}

TEST_F(Log, LevelsAreSetForAllAndForSome) {
    setLogSink(kept_);
    setLogLevels("info,tcp=debug,session=off");
    log().debug("no");
    log().info("general info");
    log(LogCategory::Tcp).debug("tcp debug");
    log(LogCategory::Session).critical("no");
    setLogLevel(spdlog::level::err);
    log(LogCategory::Tcp).warn("no");
    EXPECT_EQ(kept_->texts, (std::vector<std::string>{"general info", "tcp debug"}));
}

TEST_F(Log, WordsThatMeanNothingAreRefusedAndChangeNothing) {
    for (const char* wrong : {"loud", "tcp=debug,tpc=debug", "tcp=", "=debug", "debug,,info"}) {
        try {
            setLogLevels(wrong);
            ADD_FAILURE() << wrong;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_NE(error.remedy(), "");
        }
    }
    EXPECT_EQ(log(LogCategory::Tcp).level(), spdlog::level::warn);
    EXPECT_NO_THROW(setLogLevels(""));
}

TEST_F(Log, AProgramWritesToStderrAsTheEnvironmentWantsIt) {
    ::testing::internal::CaptureStderr();
    logToStderr();
    log().warn("seen");
    log().info("not seen");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "verbcast: warning: seen\n");
    ASSERT_EQ(::setenv("VERBCAST_LOG", "tcp=debug", 1), 0);
    logToStderr(spdlog::level::err);
    EXPECT_EQ(log().level(), spdlog::level::err);
    EXPECT_EQ(log(LogCategory::Tcp).level(), spdlog::level::debug);
    ASSERT_EQ(::setenv("VERBCAST_LOG", "tcp=loud", 1), 0);
    try {
        logToStderr();
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("VERBCAST_LOG: loud"), std::string::npos) << error.what();
    }
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
}  // namespace verbcast
