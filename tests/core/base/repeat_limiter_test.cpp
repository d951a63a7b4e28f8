#include "core/base/log/repeat_limiter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/log/peer_log.h"
#include "tests/support/kept_log.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;

class RepeatLimiterTest : public ::testing::Test {
  protected:
    /// Logs as the limiter's users do; output goes to lines_.
    void tell(const std::string& kind, const std::string& who, TimestampNs now) {
        summarize(now);
        const std::string text = fmt::format("{} by {}", kind, who);
        if (limiter_.admits(kind, who, text, now)) {
            lines_.push_back(text);
        }
    }
    void summarize(TimestampNs now) {
        for (const auto& summary : limiter_.summaries(now)) {
            lines_.push_back(summary.text);
        }
    }
    std::vector<std::string> takeLines() { return std::exchange(lines_, {}); }

    RepeatLimiter limiter_;
    std::vector<std::string> lines_;
};

TEST_F(RepeatLimiterTest, AFloodWritesFiveLinesAndASummaryForEachInterval) {
    constexpr int kPerSecond = 100;
    for (int i = 0; i < 60 * kPerSecond; ++i) {
        tell("flood", "one", i * kSecond / kPerSecond);
    }
    const std::vector<std::string> lines = takeLines();
    ASSERT_EQ(lines.size(), 5U + 5U);
    EXPECT_EQ(lines[4], "flood by one");
    EXPECT_EQ(lines[5], "flood by one (and 994 more like it)") << "1000 without the five and this one";
    EXPECT_EQ(lines[6], "flood by one (and 999 more like it)");
    EXPECT_EQ(limiter_.nextSummaryAt(), 60 * kSecond);
    summarize(60 * kSecond);
    EXPECT_EQ(takeLines(), std::vector<std::string>{"flood by one (and 999 more like it)"});
    EXPECT_EQ(limiter_.nextSummaryAt(), std::nullopt);
}

TEST_F(RepeatLimiterTest, TheFirstOfEachKindAndOfAFewAddressesIsTold) {
    for (int i = 0; i < 100; ++i) {
        tell("flood", "one", i);
    }
    EXPECT_EQ(takeLines().size(), 5U);
    tell("flood", "two", 100);
    tell("other", "one", 100);
    EXPECT_EQ(takeLines(), (std::vector<std::string>{"flood by two", "other by one"}));
    for (int i = 0; i < 10'000; ++i) {
        tell("flood", fmt::format("address {}", i), 200);
    }
    EXPECT_EQ(takeLines().size(), RepeatLimiter::kMaxAddresses - 2) << "strangers with many addresses";
}

TEST_F(RepeatLimiterTest, ASourceThatHasKeptQuietStartsAgain) {
    for (int i = 0; i < 7; ++i) {
        tell("flood", "one", i);
    }
    EXPECT_EQ(takeLines().size(), 5U);
    summarize(10 * kSecond);
    EXPECT_EQ(takeLines(), std::vector<std::string>{"flood by one (and 1 more like it)"});
    summarize(20 * kSecond);
    for (int i = 0; i < 7; ++i) {
        tell("flood", "one", 20 * kSecond + i);
    }
    EXPECT_EQ(takeLines(), std::vector<std::string>(5, "flood by one"));
}

TEST_F(RepeatLimiterTest, OneThatWasLeftOutAloneIsNoCrowd) {
    for (int i = 0; i < 6; ++i) {
        tell("flood", "one", i);
    }
    takeLines();
    summarize(10 * kSecond);
    EXPECT_EQ(takeLines(), std::vector<std::string>{"flood by one"});
}

TEST(PeerLogTest, IsBoundedOverAllWhoListen) {
    const auto sink = std::make_shared<KeptLog>();
    setLogSink(sink);
    for (int i = 0; i < 1000; ++i) {
        warnOfPeer(LogCategory::Tcp, "test flood", "10.0.0.1", "caller {}", i);
        tellOfPeer(LogCategory::Tcp, "test flood, below the level", "10.0.0.1", "caller {}", i);
    }
    EXPECT_EQ(sink->texts,
              (std::vector<std::string>{"caller 0", "caller 1", "caller 2", "caller 3", "caller 4"}));
    EXPECT_FALSE(nextPeerSummary().isNever());
    summarizeAllPeers();
    ASSERT_EQ(sink->texts.size(), 6U) << "the end of the program";
    EXPECT_EQ(sink->texts.back(), "caller 999 (and 994 more like it)");
    EXPECT_TRUE(nextPeerSummary().isNever());
    setLogSink(nullptr);
}

TEST(PeerLogTest, IsCompleteAtDebugLevel) {
    const auto sink = std::make_shared<KeptLog>();
    setLogSink(sink);
    setLogLevel(spdlog::level::debug);
    for (int i = 0; i < 100; ++i) {
        tellOfPeer(LogCategory::Tcp, "debugged flood", "10.0.0.1", "caller {}", i);
    }
    EXPECT_EQ(sink->texts.size(), 100U);
    setLogLevel(spdlog::level::warn);
    setLogSink(nullptr);
}

}  // namespace
}  // namespace verbcast::testing
