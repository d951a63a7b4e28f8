#include "app/bench/modes/channel_driver.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "app/bench/modes/bench_modes.h"
#include "app/bench/workers/pinning.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

TEST(RateWindow, CountsBetweenTheFirstAndTheLastEvent) {
    RateWindow window({.atLeast = 0ns, .events = 3, .exactly = true}, 2);
    EXPECT_FALSE(window.count(1'000));
    EXPECT_FALSE(window.count(2'000'000));  // here it opens
    EXPECT_TRUE(window.count(3'000'000));
    EXPECT_TRUE(window.count(4'000'000));
    EXPECT_FALSE(window.complete());
    EXPECT_TRUE(window.count(5'000'000));
    EXPECT_TRUE(window.complete());
    EXPECT_FALSE(window.count(9'000'000));
    EXPECT_EQ(window.events(), 3U);
    EXPECT_DOUBLE_EQ(window.perSecond(), 1000);
}

TEST(RateWindow, WarmsUpForATenthOfItsLength) {
    RateWindow window({.atLeast = 100ms, .events = 1}, 1);
    EXPECT_FALSE(window.count(0));
    EXPECT_FALSE(window.count(9'999'999));
    EXPECT_FALSE(window.count(10'000'000));  // opens
    EXPECT_TRUE(window.count(60'000'000));
    EXPECT_FALSE(window.complete());
    EXPECT_TRUE(window.count(110'000'000));
    EXPECT_TRUE(window.complete());
    EXPECT_DOUBLE_EQ(window.perSecond(), 20);
}

TEST(RateWindow, DoesNotWarmUpForLong) {
    RateWindow window({.atLeast = 60s, .events = 1}, 1);
    window.count(0);
    EXPECT_FALSE(window.count(200'000'000));  // opens
    EXPECT_TRUE(window.count(200'000'001));
}

TEST(RateWindow, WaitsForItsEventsHoweverLong) {
    RateWindow window({.atLeast = 1ms, .events = 2}, 1);
    window.count(0);
    window.count(1'000'000'000);
    EXPECT_TRUE(window.count(9'000'000'000));
    EXPECT_FALSE(window.complete());
    EXPECT_TRUE(window.count(10'000'000'000));
    EXPECT_TRUE(window.complete());
}

TEST(RateWindow, HasNoRateWithoutEvents) {
    RateWindow window({.atLeast = 1ms, .events = 2}, 1);
    EXPECT_EQ(window.perSecond(), 0);
    window.count(5);
    EXPECT_EQ(window.perSecond(), 0);
}

TEST(PointLength, TakesFramesBeforeSeconds) {
    BenchOptions options;
    options.seconds = 3;
    EXPECT_EQ(pointLength(options, 8, 1).atLeast, 300ms);
    EXPECT_EQ(pointLength(options, 8, 1).events, 8U);
    options.frames = 50;
    EXPECT_EQ(pointLength(options, 8, 1).events, 50U);
    EXPECT_TRUE(pointLength(options, 8, 1).exactly);
    EXPECT_EQ(pointLength(options, 8, 64).events, 256U)
        << "a rate over less than a window is that of a burst";
}

/// Two ends of a tcp connection within this process.
struct Pair {
    Connection caller, called;

    Pair() {
        const Event never;
        const Transport& tcp = *findTransport("tcp");
        const auto listener = tcp.listen(parseUrl("tcp://127.0.0.1:0"), {});
        caller = tcp.connect(parseUrl(listener->address()), {}, Deadline::in(10s), never);
        while (!called) {
            waitReadable({listener->waitDescriptor()}, 10s);
            called = listener->accept();
        }
    }
};

class Waiting final : public ChannelEnd {
  public:
    using ChannelEnd::ChannelEnd;
    bool step() override { return messages > 0; }
    void onMessage(std::span<const std::byte>) override { ++messages; }
    int messages = 0;
};

TEST(Drive, EndsWhenTheEndIsDone) {
    Pair pair;
    const std::byte hello{1};
    ASSERT_EQ(pair.called.messages->send(std::span(&hello, 1)), Status::Ok);
    Waiting end(pair.caller);
    EXPECT_EQ(drive(pair.caller, end, {.patience = 60s}), DriveEnd::Finished);
    EXPECT_EQ(end.messages, 1);
}

TEST(Drive, EndsWhenThePeerHangsUp) {
    Pair pair;
    pair.called = {};
    Waiting end(pair.caller);
    EXPECT_EQ(drive(pair.caller, end, {.patience = 60s}), DriveEnd::Closed);
    EXPECT_NE(pair.caller.messages->closeReason(), "");
}

TEST(Drive, EndsWhenItIsInterrupted) {
    Pair pair;
    Event cancel;
    cancel.notify();
    Waiting end(pair.caller);
    EXPECT_EQ(drive(pair.caller, end, {.cancel = &cancel, .patience = 60s}), DriveEnd::Interrupted);
}

TEST(Drive, GoesOnForItsGraceAfterAnInterrupt) {
    Pair pair;
    Event cancel;
    cancel.notify();
    const std::byte hello{1};
    Waiting end(pair.caller);
    const TimestampNs begin = nowNs();
    EXPECT_EQ(drive(pair.caller, end, {.cancel = &cancel, .grace = 50ms}), DriveEnd::Interrupted);
    EXPECT_GE(nowNs() - begin, 50'000'000);
    ASSERT_EQ(pair.called.messages->send(std::span(&hello, 1)), Status::Ok);
    EXPECT_EQ(drive(pair.caller, end, {.cancel = &cancel, .grace = 60s}), DriveEnd::Finished);
}

TEST(Drive, DoesNotWaitForEverForASilentPeer) {
    Pair pair;
    Waiting end(pair.caller);
    try {
        drive(pair.caller, end, {.patience = 30ms});
        FAIL() << "an error was expected";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
    }
}

TEST(WorkerLinkTest, TellsWhyItsWorkerFailed) {
    BenchOptions options;
    // Rings of 2^60 bytes: the worker listens, then runs out of memory for its end.
    WorkerLink link(options, "tcp", "sweep-echo", {{"block_bytes", std::uint64_t{1} << 52}, {"slots", 8}},
                    {});
    ASSERT_TRUE(link.connected());
    Waiting end(link.connection());
    try {
        link.run(end);
        FAIL() << "an error was expected";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resource);
    }
}

TEST(WorkerLinkTest, GivesTheWorkersResult) {
    BenchOptions options;
    WorkerLink link(options, "tcp", "rpc-serve", nlohmann::json::object(), {});
    ASSERT_TRUE(link.connected());
    const std::byte hello{1};
    ASSERT_EQ(link.connection().messages->send(std::span(&hello, 1)), Status::Ok);
    Waiting end(link.connection());
    ASSERT_TRUE(link.run(end));
    EXPECT_EQ(link.finish().at("calls"), 1);
}

TEST(PinnedThreadTest, RefusesAProcessorThatDoesNotExist) {
    try {
        const PinnedThread pinned(4095);
        FAIL() << "an error was expected";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
    }
}

}  // namespace
}  // namespace verbcast::testing
