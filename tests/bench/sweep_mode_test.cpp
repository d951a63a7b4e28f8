#include "app/bench/modes/bench_modes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kKiB = 1024;

BenchOptions tinyRun(const std::string& transport) {
    BenchOptions options;
    options.mode = BenchMode::Sweep;
    options.transports = {transport};
    options.frames = 20;
    options.quiet = true;
    return options;
}

bool anyNote(const BenchReport& report, const std::string& part) {
    return std::any_of(report.notes.begin(), report.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

class Sweep : public TransportSuite {};

TEST_P(Sweep, MeasuresEachBlockAndDepth) {
    const SweepRange range{{4 * kKiB, 64 * kKiB, 1024 * kKiB}, {1, 2, 8}, 8 * 1024 * kKiB};
    BenchReport report;
    BenchProgress progress(true);
    sweepRange(range, tinyRun(GetParam().scheme()), report, progress);

    ASSERT_EQ(report.sweep.size(), 9U);
    std::size_t at = 0;
    for (const std::uint64_t block : range.blocks) {
        for (const std::uint32_t depth : range.depths) {
            const SweepPoint& point = report.sweep[at++];
            EXPECT_EQ(point.transport, GetParam().scheme());
            EXPECT_EQ(point.blockBytes, block);
            EXPECT_EQ(point.inFlight, depth);
            EXPECT_EQ(point.latency.count, std::max(20U, 4 * depth));
            EXPECT_GT(point.latency.p50, 0);
            EXPECT_GE(point.latency.max, point.latency.p50);
            EXPECT_GT(point.blocksPerSecond, 0);
            EXPECT_NEAR(point.gigabytesPerSecond, point.blocksPerSecond * static_cast<double>(block) * 1e-9,
                        1e-9 * point.gigabytesPerSecond);
        }
    }
    EXPECT_EQ(anyNote(report, "copies each block into a ring of its own"), GetParam() == "shm");
}

TEST_P(Sweep, LeavesOutWhatItsRingCannotHold) {
    const SweepRange range{{64 * kKiB, 256 * kKiB}, {1, 2, 4}, 512 * kKiB};
    BenchReport report;
    BenchProgress progress(true);
    sweepRange(range, tinyRun(GetParam().scheme()), report, progress);
    ASSERT_EQ(report.sweep.size(), 5U);
    EXPECT_EQ(report.sweep.back().blockBytes, 256 * kKiB);
    EXPECT_EQ(report.sweep.back().inFlight, 2U);
    EXPECT_TRUE(anyNote(report, "1 of the 6 points of each transport are left out"));
}

VERBCAST_OVER_TRANSPORTS(Sweep, transportsUnderTest());

TEST(SweepRangeTest, CoversTheWholeRange) {
    const SweepRange range = standardSweepRange();
    EXPECT_EQ(range.blocks.front(), 4 * kKiB);
    EXPECT_EQ(range.blocks.back(), 64 * 1024 * kKiB);
    EXPECT_EQ(range.blocks.size(), 9U);
    EXPECT_EQ(range.depths, (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 64}));
    EXPECT_LE(range.ringBytes, 512 * 1024 * kKiB);
}

/// Adds points on the line t = t0 + bytes / bandwidth.
void addLine(BenchReport& report, const std::string& transport, std::uint32_t depth, double t0,
             double bandwidth) {
    for (std::uint64_t bytes = 4 * kKiB; bytes <= 64 * 1024 * kKiB; bytes *= 4) {
        SweepPoint point;
        point.transport = transport;
        point.blockBytes = bytes;
        point.inFlight = depth;
        point.blocksPerSecond = 1 / (t0 + static_cast<double>(bytes) / bandwidth);
        point.latency.p50 = depth * 1e6 / point.blocksPerSecond;
        point.gigabytesPerSecond = point.blocksPerSecond * static_cast<double>(bytes) * 1e-9;
        report.sweep.push_back(point);
    }
}

TEST(SweepFitTest, FitsEachTransportAndDepthByItself) {
    BenchReport report;
    addLine(report, "tcp", 1, 20e-6, 3e9);
    addLine(report, "tcp", 2, 10e-6, 3e9);
    addLine(report, "verbs", 1, 5e-6, 12e9);
    fitSweep(report);
    ASSERT_EQ(report.fits.size(), 3U);
    EXPECT_EQ(report.fits[1].transport, "tcp");
    EXPECT_EQ(report.fits[1].inFlight, 2U);
    EXPECT_NEAR(report.fits[1].t0Us, 10, 1e-6);
    EXPECT_EQ(report.fits[2].transport, "verbs");
    EXPECT_NEAR(report.fits[2].t0Us, 5, 1e-6);
    EXPECT_NEAR(report.fits[2].gigabytesPerSecond, 12, 1e-6);
    EXPECT_NEAR(static_cast<double>(report.fits[2].halfBytes), 60'000, 1);
    EXPECT_NEAR(report.fits[2].r2, 1, 1e-9);
    // tcp: a single 4 KiB block: 4096 / 21.37 us; 4 MiB, two in flight: 4194304 / 1408 us.
    EXPECT_TRUE(
        anyNote(report, "4 KiB with an acknowledgement each: 0.192 GB/s; 4 MiB double-buffered: 2.98"));
}

TEST(SweepFitTest, IsNotSpoiledByInterruptionsOfASingleBlock) {
    BenchReport report;
    addLine(report, "shm", 1, 4e-6, 5e9);
    report.sweep[0].blocksPerSecond /= 50;  // some blocks waited 20 ms: the median is unaffected
    fitSweep(report);
    ASSERT_EQ(report.fits.size(), 1U);
    EXPECT_NEAR(report.fits[0].t0Us, 4, 1e-6);
}

TEST(SweepFitTest, SaysNothingOfTooFewPoints) {
    BenchReport report;
    addLine(report, "tcp", 1, 20e-6, 3e9);
    report.sweep.resize(2);
    fitSweep(report);
    EXPECT_TRUE(report.fits.empty());
    EXPECT_TRUE(report.notes.empty());
}

TEST(SweepFitTest, SaysNothingOfATimeThatFallsWithTheSize) {
    BenchReport report;
    for (std::uint64_t bytes = 1; bytes <= 4; ++bytes) {
        SweepPoint point;
        point.transport = "shm";
        point.blockBytes = bytes;
        point.blocksPerSecond = static_cast<double>(bytes);
        point.latency.p50 = 1e6 / static_cast<double>(bytes);
        report.sweep.push_back(point);
    }
    fitSweep(report);
    EXPECT_TRUE(report.fits.empty());
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_NE(report.notes.front().find("shm, 1 in flight: no fit"), std::string::npos);
}

// Regression: "t0 = -0.19 us", and with it the speed of a cache as the bandwidth.
TEST(SweepFitTest, AStartUpCostBelowNothingIsNoFit) {
    BenchReport report;
    for (const double bytes : {4096.0, 65536.0, 1048576.0}) {
        SweepPoint point;
        point.transport = "shm";
        point.blockBytes = static_cast<std::uint64_t>(bytes);
        point.latency.p50 = bytes / 10e3 - 0.19;
        point.blocksPerSecond = 1e6 / point.latency.p50;
        report.sweep.push_back(point);
    }
    fitSweep(report);
    EXPECT_TRUE(report.fits.empty());
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_NE(report.notes.front().find("no fit"), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing
