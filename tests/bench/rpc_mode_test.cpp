#include "app/bench/modes/bench_modes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

class Rpc : public TransportSuite {
  protected:
    static BenchReport measure(const RpcRange& range, std::uint64_t calls) {
        BenchOptions options;
        options.mode = BenchMode::Rpc;
        options.transports = {GetParam().scheme()};
        options.frames = calls;
        BenchReport report;
        BenchProgress progress(true);
        rpcRange(range, options, report, progress);
        return report;
    }
};

TEST_P(Rpc, MeasuresEachNumberOfCallers) {
    const BenchReport report = measure(standardRpcRange(), 600);
    ASSERT_EQ(report.rpc.size(), 9U);
    std::uint32_t callers = 1;
    for (const RpcPoint& point : report.rpc) {
        EXPECT_EQ(point.transport, GetParam().scheme());
        EXPECT_EQ(point.callers, callers);
        EXPECT_EQ(point.payloadBytes, 64U);
        EXPECT_EQ(point.latency.count, std::max(600U, 4 * callers));
        EXPECT_GT(point.latency.p50, 0);
        EXPECT_GE(point.latency.max, point.latency.p50);
        EXPECT_GT(point.callsPerSecond, 0);
        callers *= 2;
    }
    EXPECT_EQ(callers, 512U);
}

TEST_P(Rpc, LosesNoCallWhenTheTransportIsFull) {
    // 256 messages of 4096 bytes in each direction exceed any transport's capacity.
    const BenchReport report = measure({.callers = {256}, .payloadBytes = kMaxMessageBytes}, 2000);
    ASSERT_EQ(report.rpc.size(), 1U);
    EXPECT_EQ(report.rpc[0].payloadBytes, kMaxMessageBytes);
    EXPECT_EQ(report.rpc[0].latency.count, 2000U);
}

VERBCAST_OVER_TRANSPORTS(Rpc, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
