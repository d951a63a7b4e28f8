// verbcast bench frames, limits and scale with small frames: checks what is reported, not how fast it is.
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>

#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Json = nlohmann::json;

std::uint64_t availableMemory() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kibibytes = 0;
    for (std::string rest; file >> key >> kibibytes && std::getline(file, rest);) {
        if (key == "MemAvailable:") {
            return kibibytes * 1024;
        }
    }
    return 0;
}

/// Clock ticks of processor time that the children of a process have used.
std::uint64_t childrensTicks(pid_t parent) {
    std::ifstream children("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                           "/children");
    std::uint64_t ticks = 0;
    for (pid_t child = 0; children >> child;) {
        std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
        std::string skipped;
        std::getline(stat, skipped, ')');
        for (int field = 3; field < 14; ++field) {
            stat >> skipped;
        }
        std::uint64_t user = 0;
        std::uint64_t system = 0;
        stat >> user >> system;
        ticks += user + system;
    }
    return ticks;
}

class BenchFramesTest : public ProgramTest {
  protected:
    /// The report of `verbcast bench ARGUMENTS --json FILE`, which exits with 0.
    Json bench(Arguments arguments) {
        arguments.insert(arguments.begin(), "bench");
        arguments.insert(arguments.end(), {"--quiet", "--json", file("report.json")});
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, 0));
        return readJson(file("report.json"));
    }
};

void expectComplete(const Json& row, std::uint64_t frames) {
    const std::string text = row.dump();
    EXPECT_EQ(row.at("frames").get<std::uint64_t>() + row.at("frames_dropped").get<std::uint64_t>(), frames)
        << text;
    EXPECT_EQ(row.at("frames_corrupt"), 0) << text;
    EXPECT_GT(row.at("fps"), 0) << text;
    EXPECT_NEAR(row.at("gigabytes_per_second"),
                row.at("fps").get<double>() * row.at("width").get<double>() * row.at("height").get<double>() *
                    4e-9 * row.at("streams").get<double>(),
                1e-3 * row.at("gigabytes_per_second").get<double>())
        << text;
    const Json& latency = row.at("latency_us");
    EXPECT_GT(latency.at("p50"), 0) << text;
    EXPECT_LE(latency.at("p50"), latency.at("p99")) << text;
    EXPECT_LE(latency.at("p99"), latency.at("max")) << text;
    const Json& p999 = latency.at("p999");
    ASSERT_EQ(p999.is_null(), latency.at("count") < 1000) << text;
    if (!p999.is_null()) {
        EXPECT_LE(latency.at("p99"), p999) << text;
        EXPECT_LE(p999, latency.at("max")) << text;
    }
    EXPECT_GE(row.at("cpu_us_per_frame").at("sender"), 0) << text;
    EXPECT_GE(row.at("cpu_us_per_frame").at("receiver"), 0) << text;
    EXPECT_GT(row.at("limit").at("gigabytes_per_second"), 0) << text;
    EXPECT_NEAR(row.at("ratio_to_limit"),
                row.at("gigabytes_per_second").get<double>() /
                    row.at("limit").at("gigabytes_per_second").get<double>(),
                1e-6)
        << text;
}

TEST_F(BenchFramesTest, EveryByteOfEveryFrameArrivesOverShmAndTcp) {
    const Json report = bench({"--transport", "shm,tcp", "--size", "320x180", "--frames", "60", "--fps",
                               "max", "--verify", "full"});
    const Json& rows = report.at("rows");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].at("transport"), "shm");
    EXPECT_EQ(rows[1].at("transport"), "tcp");
    for (const Json& row : rows) {
        EXPECT_EQ(row.at("width"), 320);
        EXPECT_EQ(row.at("height"), 180);
        EXPECT_EQ(row.at("pixel_format"), "rgba");
        EXPECT_EQ(row.at("verify"), "full");
        EXPECT_EQ(row.at("frames_dropped"), 0);  // as fast as possible is lossless
        expectComplete(row, 60);
    }
    // Copies are counted where they are made: shared memory makes none, a socket one at each end.
    EXPECT_EQ(rows[0].at("pixel_copies_per_frame"), 0);
    EXPECT_NEAR(rows[1].at("pixel_copies_per_frame"), 2, 1e-9);
    // A limit does the same work.
    EXPECT_EQ(rows[0].at("limit").at("name"), "one process, two threads");
    EXPECT_EQ(rows[1].at("limit").at("name"), "plain TCP, checked");
}

TEST_F(BenchFramesTest, WithoutARateThroughputAndLatencyAreMeasuredApart) {
    Verbcast program({"bench", "--quiet", "--transport", "shm", "--size", "64x48", "--frames", "20",
                      "--verify", "header", "--json", file("report.json")},
                     home_);
    EXPECT_TRUE(endsWith(program, 0));
    const Json rows = readJson(file("report.json")).at("rows");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_TRUE(rows[0].at("offered_fps").is_null());
    EXPECT_EQ(rows[1].at("offered_fps"), 60);
    EXPECT_GT(rows[0].at("hand_offs_per_second"), 0);
    EXPECT_TRUE(holds(program.output(), "hand-offs a second, no pixel is moved"));
    EXPECT_EQ(program.output().find("GB/s, ratio"), std::string::npos) << program.output();
}

TEST_F(BenchFramesTest, FramesOfWhichAPartChangesAreMeasuredBesideWholeOnes) {
    const Json report = bench({"frames", "--damage", "10", "--size", "320x200", "--frames", "60", "--fps",
                               "max", "--transport", "shm,tcp"});
    ASSERT_EQ(report.at("rows").size(), 1U) << "over shm nothing moves in any case, and a note says so";
    const Json& row = report.at("rows").at(0);
    EXPECT_EQ(row.at("transport"), "tcp");
    EXPECT_EQ(row.at("frames"), 60);
    EXPECT_EQ(row.at("frames_corrupt"), 0);
    EXPECT_TRUE(row.at("limit").is_null());
    const Json& part = row.at("damage");
    constexpr double kFrame = 320 * 200 * 4;
    EXPECT_EQ(part.at("percent"), 10);
    const double whole = part.at("whole").at("bytes_moved_per_frame");
    EXPECT_NEAR(whole, kFrame, 0.05 * kFrame);  // the measurement may include one frame more or less
    // A slot lacks the bands of all frames since it was last written; each frame changes a different band.
    EXPECT_GE(part.at("bytes_moved_per_frame"), 0.1 * kFrame);
    EXPECT_LT(part.at("bytes_moved_per_frame"), 0.95 * kFrame);
    EXPECT_NEAR(part.at("ratios").at("bytes_moved"), part.at("bytes_moved_per_frame").get<double>() / whole,
                1e-6);
    EXPECT_GT(part.at("ratios").at("cpu"), 0);
    EXPECT_GT(part.at("ratios").at("fps"), 0);
    Verbcast wrong({"bench", "frames", "--damage", "101"}, home_);
    EXPECT_TRUE(endsWith(wrong, 2));
    EXPECT_TRUE(holds(wrong.errors(), "--damage 101"));
}

TEST_F(BenchFramesTest, AFixedRateOffersAllFramesInTime) {
    const Json report = bench({"--transport", "shm,tcp", "--size", "64x48,128x96", "--fps", "100", "--frames",
                               "30", "--verify", "header", "--repeat", "2"});
    ASSERT_EQ(report.at("rows").size(), 4U);
    double slowest = std::numeric_limits<double>::infinity();
    for (const Json& row : report.at("rows")) {
        EXPECT_EQ(row.at("offered_fps"), 100);
        EXPECT_EQ(row.at("repeats").size(), 2U);
        for (const Json& run : row.at("repeats")) {
            slowest = std::min(slowest, run.at("fps").get<double>());
        }
        expectComplete(row, 30);
    }
    EXPECT_LT(slowest, 150) << "after a stall frames may come faster, but not in every run";
}

TEST_F(BenchFramesTest, ScaleGrowsStreamsAndSizes) {
    const Json report = bench({"scale", "--transport", "shm", "--size", "64x48,128x96", "--streams", "3",
                               "--frames", "40", "--verify", "full"});
    const Json& rows = report.at("rows");
    ASSERT_EQ(rows.size(), 4U);
    std::multiset<std::string> seen;
    for (const Json& row : rows) {
        const std::uint64_t streams = row.at("streams");
        seen.insert(std::to_string(row.at("width").get<int>()) + " x" + std::to_string(streams));
        expectComplete(row, 40 * streams);
    }
    EXPECT_EQ(seen, (std::multiset<std::string>{"128 x1", "64 x1", "64 x2", "64 x3"}));
}

TEST_F(BenchFramesTest, ScaleIntoOneReceivesAllStreamsInOneProcess) {
    Verbcast program({"bench", "scale", "--into-one", "--transport", "shm,tcp", "--size", "64x48",
                      "--streams", "3", "--frames", "40", "--fps", "100", "--json", file("report.json")},
                     home_);
    EXPECT_TRUE(endsWith(program, 0));
    EXPECT_TRUE(holds(program.output(), "3 streams into one process"));
    const Json rows = readJson(file("report.json")).at("rows");
    ASSERT_EQ(rows.size(), 6U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Json& row = rows[i];
        const std::size_t streams = i % 3 + 1;
        EXPECT_EQ(row.at("transport"), i < 3 ? "shm" : "tcp");
        EXPECT_EQ(row.at("streams"), streams);
        EXPECT_EQ(row.at("into_one"), true);
        EXPECT_EQ(row.at("fps_of_each").size(), streams);
        EXPECT_EQ(row.at("limit").at("name"), "memcpy");
        expectComplete(row, 40 * streams);
    }
}

class BenchViewers : public BenchFramesTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(BenchViewers, ThatKeepUpAreMeasuredAloneAndBesideSlowOnes) {
    Verbcast program({"bench", "viewers", "--transport", GetParam(), "--size", "64x48", "--viewers", "5",
                      "--slow", "2", "--fps", "50", "--seconds", "1", "--json", file("report.json")},
                     home_);
    EXPECT_TRUE(endsWith(program, 0));
    const Json rows = readJson(file("report.json")).at("viewers");
    ASSERT_EQ(rows.size(), 3U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Json& row = rows[i];
        SCOPED_TRACE(row.dump());
        EXPECT_EQ(row.at("transport"), GetParam());
        EXPECT_EQ(row.at("viewers"), 3);
        EXPECT_EQ(row.at("slow_viewers"), i == 0 ? 0 : 2);
        EXPECT_EQ(row.at("frames_corrupt"), 0);
        EXPECT_GE(row.at("frames"), 50);
        EXPECT_EQ(row.at("latency_us").at("count").get<std::uint64_t>() +
                      row.at("frames_missed").get<std::uint64_t>(),
                  3 * row.at("frames").get<std::uint64_t>());
        EXPECT_EQ(row.at("ratios").at("fps").is_null(), i == 0);
    }
}

// Both wait for their seconds more than they measure.
INSTANTIATE_TEST_SUITE_P(Over, BenchViewers, ::testing::Values("tcp"), variantName);
INSTANTIATE_TEST_SUITE_P(Thorough, BenchViewers, ::testing::Values("shm"), variantName);

TEST_F(BenchFramesTest, SlowViewersAreFewerThanAll) {
    Verbcast refused({"bench", "viewers", "--viewers", "4", "--slow", "4"}, home_);
    EXPECT_TRUE(endsWith(refused, 2));
    EXPECT_TRUE(holds(refused.errors(), "--slow 4: 0 to 3 expected"));
}

TEST_F(BenchFramesTest, LimitsAreMeasuredOrSayWhyNot) {
    const Json report = bench({"limits", "--size", "320x180", "--frames", "2000"});
    std::set<std::string> measured;
    for (const Json& limit : report.at("limits")) {
        const std::string name = limit.at("name");
        if (name == "plain TCP") {
            EXPECT_TRUE(holds(limit.at("note"), "fastest size of calls")) << limit.dump();
        }
        if (limit.at("gigabytes_per_second").is_number() && limit.at("gigabytes_per_second") > 0) {
            measured.insert(name.substr(0, name.find(',')));
        } else {
            EXPECT_GT(limit.at("unavailable").get<std::string>().size(), 5U) << limit.dump();
        }
    }
    EXPECT_EQ(report.at("limits").size(), 7U);
    for (const char* name : {"memcpy", "pipe", "plain TCP", "one process"}) {
        EXPECT_EQ(measured.count(name), 1U) << name << " in " << report.at("limits").dump();
    }
}

TEST_F(BenchFramesTest, CtrlCReportsWhatWasMeasured) {
    Json report;
    // After a second of CPU time two processes are past their warm-up, except on a busy machine.
    for (const std::uint64_t worked : {1, 5, 25}) {
        Verbcast program({"bench", "--transport", "shm", "--size", "320x180", "--seconds", "600", "--json",
                          file("report.json")},
                         home_);
        const auto deadline = TestClock::now() + kPatience;
        while (childrensTicks(program.pid()) < worked * static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)) &&
               TestClock::now() < deadline && program.running()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        program.signal(SIGINT);
        EXPECT_TRUE(endsWith(program, 130));
        report = readJson(file("report.json"));
        EXPECT_EQ(report.at("interrupted"), true);
        if (!report.at("rows").empty()) {
            break;
        }
    }
    ASSERT_EQ(report.at("rows").size(), 1U);
    EXPECT_GT(report.at("rows")[0].at("frames"), 0);
    EXPECT_EQ(report.at("rows")[0].at("frames_corrupt"), 0);
}

TEST_F(BenchFramesTest, ARingThatDoesNotFitIsToldBeforeTheRun) {
    if (availableMemory() > 130'000'000'000) {
        GTEST_SKIP() << "this machine has room for 64 slots of 16384x16384 at both ends";
    }
    Verbcast program({"bench", "--transport", "shm", "--size", "64x48,16384x16384", "--slots", "64", "--json",
                      file("report.json")},
                     home_);
    EXPECT_TRUE(endsWith(program, 5));
    EXPECT_TRUE(holds(program.errors(), "16384x16384"));
    EXPECT_TRUE(holds(program.errors(), "--slots"));
    EXPECT_FALSE(std::ifstream(file("report.json")).good());
}

TEST_F(BenchFramesTest, AProcessorThatDoesNotExistIsRefused) {
    Verbcast program({"bench", "--transport", "shm", "--size", "64x48", "--frames", "20", "--pin", "0,4000"},
                     home_);
    EXPECT_TRUE(endsWith(program, 2));
    EXPECT_TRUE(holds(program.errors(), "--pin"));
}

}  // namespace
}  // namespace verbcast::testing
