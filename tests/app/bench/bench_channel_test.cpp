// bench sweep, rpc and register, as a user runs them.
#include <csignal>
#include <set>

#include "core/transport/rdma/rdma_devices.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Json = nlohmann::json;

class BenchChannelTest : public ProgramTest {
  protected:
    /// The report of `verbcast bench ARGUMENTS`, which exits with 0.
    Json measure(Arguments arguments) {
        const std::string path = file("report.json");
        arguments.insert(arguments.begin(), "bench");
        arguments.insert(arguments.end(), {"--json", path, "--quiet"});
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, 0));
        return readJson(path);
    }

    static void expectLatency(const Json& latency) {
        EXPECT_GT(latency.at("p50").get<double>(), 0);
        EXPECT_GE(latency.at("p99").get<double>(), latency.at("p50").get<double>());
        EXPECT_GE(latency.at("max").get<double>(), latency.at("p99").get<double>());
    }
};

// The whole sweep moves gigabytes, so this one is interrupted.
TEST_F(BenchChannelTest, InterruptedSweepKeepsItsPointsAndFitsThem) {
    const std::string path = file("report.json");
    Json report;
    // Retries with more time until the first point is complete, however busy the machine.
    for (std::chrono::milliseconds time(1500);
         time < kPatience && (report.empty() || report.at("sweep").empty()); time *= 3) {
        Verbcast program({"bench", "sweep", "--transport", "tcp", "--seconds", "0.1", "--json", path}, home_);
        ASSERT_TRUE(program.waitUntilItHandles(SIGINT)) << program.errors();
        ASSERT_FALSE(program.waitForEnd(time).has_value()) << program.errors();
        program.signal(SIGINT);
        EXPECT_TRUE(endsWith(program, 130));
        report = readJson(path);
    }
    ASSERT_FALSE(report.at("sweep").empty());
    std::set<std::uint64_t> blocks;
    for (const Json& point : report.at("sweep")) {
        EXPECT_EQ(point.at("transport"), "tcp");
        blocks.insert(point.at("block_bytes").get<std::uint64_t>());
        EXPECT_GE(point.at("in_flight").get<std::uint32_t>(), 1U);
        EXPECT_GT(point.at("gigabytes_per_second").get<double>(), 0);
        EXPECT_GT(point.at("blocks_per_second").get<double>(), 0);
    }
    expectLatency(report.at("sweep").front().at("latency_us"));
    EXPECT_EQ(*blocks.begin(), 4096U);
    for (const Json& fit : report.at("sweep_fits")) {
        EXPECT_GT(fit.at("gigabytes_per_second").get<double>(), 0);
        EXPECT_TRUE(fit.at("t0_us").is_number());
        EXPECT_TRUE(fit.at("half_bytes").is_number_unsigned());
        EXPECT_LE(fit.at("r2").get<double>(), 1);
    }
}

TEST_F(BenchChannelTest, RpcCountsCallersFromOneTo256) {
    const Json report = measure({"rpc", "--transport", "shm,tcp", "--frames", "50"});
    ASSERT_EQ(report.at("rpc").size(), 18U);
    EXPECT_EQ(report.at("rpc").front().at("callers"), 1);
    EXPECT_EQ(report.at("rpc").back().at("callers"), 256);
    for (const Json& point : report.at("rpc")) {
        EXPECT_EQ(point.at("payload_bytes"), 64);
        EXPECT_GT(point.at("calls_per_second").get<double>(), 0);
        expectLatency(point.at("latency_us"));
    }
}

TEST_F(BenchChannelTest, InterruptedRpcKeepsWhatItMeasured) {
    const std::string path = file("report.json");
    // The first point lasts a minute, so only the interrupt can end it. On a busy machine it starts late.
    std::size_t points = 0;
    for (const int seconds : {2, 8, 30}) {
        Verbcast program({"bench", "rpc", "--transport", "tcp", "--seconds", "600", "--json", path}, home_);
        ASSERT_TRUE(program.waitUntilItHandles(SIGINT)) << program.errors();
        ASSERT_FALSE(program.waitForEnd(std::chrono::seconds(seconds)).has_value());
        program.signal(SIGINT);
        EXPECT_TRUE(endsWith(program, 130));
        points = readJson(path).at("rpc").size();
        if (points > 0) {
            break;
        }
    }
    EXPECT_EQ(points, 1U);
}

TEST_F(BenchChannelTest, RegisterNeedsADevice) {
    if (!rdmaDevices().empty()) {
        GTEST_SKIP() << "this machine has an RDMA device";
    }
    Verbcast program({"bench", "register"}, home_);
    EXPECT_TRUE(endsWith(program, 7));
    EXPECT_TRUE(holds(program.errors(), "rdma"));
}

}  // namespace
}  // namespace verbcast::testing
