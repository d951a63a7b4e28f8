#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/bench/report/report_output.h"
#include "core/base/error.h"
#include "core/base/os/whole_file.h"
#include "tests/bench/sample_report.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

class Compare : public ::testing::Test {
  protected:
    std::string write(const std::string& name, const BenchReport& report) {
        return writeText(name, reportJson(report).dump(2));
    }
    std::string writeText(const std::string& name, const std::string& text) {
        writeWhole(folder_.file(name), text);
        return folder_.file(name);
    }
    /// Returns what the comparison prints.
    std::string compare(const BenchReport& older, const BenchReport& newer) {
        const CompareOptions options{write("old.json", older), write("new.json", newer)};
        ::testing::internal::CaptureStdout();
        EXPECT_EQ(runCompare(options), 0);
        return ::testing::internal::GetCapturedStdout();
    }
    /// The line about `metric`.
    static std::string lineOf(const std::string& text, const std::string& metric) {
        const auto at = text.find("  " + metric + " ");
        return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    }
    void expectInputError(const std::string& path, const std::string& part) {
        try {
            runCompare({write("good.json", sampleReport()), path});
            ADD_FAILURE() << path << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input) << error.what();
            const std::string what = error.what();
            EXPECT_NE(what.find(path), std::string::npos) << what;
            EXPECT_NE(what.find(part), std::string::npos) << what;
            EXPECT_NE(what.find("verbcast-bench/1"), std::string::npos) << what;
            EXPECT_FALSE(error.remedy().empty());
        }
    }
    static BenchReport withRuns(const std::vector<RunSample>& runs) {
        BenchReport report;
        report.rows = {sampleRow("tcp", Verify::Full, 4.5)};
        report.rows[0].repeats = runs;
        return report;
    }

    TemporaryFolder folder_;
};

TEST_F(Compare, JudgesByWhetherTheRangesOfTheRunsOverlap) {
    BenchReport newer = withRuns({{150, 5.0, 121, 500, 9}, {152, 5.1, 130, 510, 8}});
    newer.rows[0].gigabytesPerSecond = 9;
    const std::string text = compare(withRuns({{135, 4.4, 119, 330, 20}, {151, 4.6, 121, 350, 30}}), newer);
    EXPECT_TRUE(holds(lineOf(text, "fps"), "within the spread")) << text;
    EXPECT_TRUE(holds(lineOf(text, "GB/s"), "2.00  differs: better")) << text;
    EXPECT_TRUE(holds(lineOf(text, "latency p50 us"), "within the spread")) << "they touch\n" << text;
    EXPECT_TRUE(holds(lineOf(text, "latency p99 us"), "differs: worse")) << text;
    EXPECT_TRUE(holds(lineOf(text, "CPU us/frame, both sides"), "differs: better")) << text;
    EXPECT_TRUE(holds(text, "2 and 2 equal runs are apart in 1 of 3 comparisons")) << text;
}

TEST_F(Compare, OneRunHasNoSpread) {
    const std::string text =
        compare(withRuns({{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}}), withRuns({{9, 9, 9, 9, 9}}));
    EXPECT_TRUE(holds(lineOf(text, "fps"), "unknown: one run; use --repeat")) << text;
    EXPECT_TRUE(holds(lineOf(compare(withRuns({}), withRuns({})), "GB/s"), "1.00  unknown: one run")) << text;
}

TEST_F(Compare, ListsRowsThatOneFileLacksAndOtherVerifyLevels) {
    BenchReport older, newer;
    older.rows = {sampleRow("tcp", Verify::Full, 4.5), sampleRow("shm", Verify::Full, 7)};
    newer.rows = {sampleRow("tcp", Verify::Header, 400), sampleRow("verbs", Verify::Full, 11)};
    newer.machine.processor = "another one";
    const std::string text = compare(older, newer);
    EXPECT_TRUE(holds(text, "old.json: shm 3840x2160 rgba, full")) << text;
    EXPECT_TRUE(holds(text, "new.json: verbs 3840x2160 rgba, full")) << text;
    EXPECT_TRUE(holds(text, "new.json has it verified header: another thing, not compared")) << text;
    EXPECT_TRUE(holds(text, "another machine")) << text;
    EXPECT_TRUE(holds(text, "nothing to compare")) << text;
    EXPECT_EQ(lineOf(text, "fps"), "");
}

TEST_F(Compare, RowsDifferByRateStreamsAndPolling) {
    for (void (*change)(FrameRow&) :
         {+[](FrameRow& row) { row.offeredFps = 60; }, +[](FrameRow& row) { row.streams = 2; },
          +[](FrameRow& row) { row.poll = true; }, +[](FrameRow& row) { row.width = 1920; }}) {
        BenchReport newer = withRuns({});
        change(newer.rows[0]);
        EXPECT_TRUE(holds(compare(withRuns({}), newer), "nothing to compare"));
    }
}

TEST_F(Compare, ComparesTheOtherParts) {
    BenchReport newer = sampleReport();
    newer.rpc[0].callsPerSecond *= 2;
    newer.sweep[0].gigabytesPerSecond = 3;
    newer.sweep.pop_back();
    const std::string text = compare(sampleReport(), newer);
    EXPECT_FALSE(holds(text, "another machine")) << text;
    EXPECT_TRUE(holds(lineOf(text, "tcp, 64 B, 1 in flight"), "35.0k     70.0k    2.00")) << text;
    EXPECT_TRUE(holds(lineOf(text, "tcp, 4 KiB, 1 in flight"), "1.50      3.00    2.00")) << text;
    EXPECT_TRUE(holds(text, "Sweep: 1 measurement is in one of the files only")) << text;
    EXPECT_TRUE(holds(lineOf(text, "iperf3"), "-")) << "not measured\n" << text;
}

TEST_F(Compare, ALimitThatAReportHoldsTwiceIsComparedOnce) {
    BenchReport once = sampleReport();
    ASSERT_FALSE(once.limits.empty());
    BenchReport twice = once;
    twice.limits.push_back(twice.limits.front());
    const std::string text = compare(once, twice);
    EXPECT_TRUE(holds(text, "Limits: 1 measurement is in one of the files only")) << text;
    EXPECT_FALSE(holds(compare(once, once), "in one of the files only"));
}

TEST_F(Compare, RefusesWhatIsNoReport) {
    expectInputError(folder_.file("missing.json"), "cannot be read");
    expectInputError(folder_.path(), "cannot be read");
    expectInputError(writeText("empty.json", ""), "cannot be read");
    expectInputError(writeText("text.json", "no json"), "no JSON");
    expectInputError(writeText("half.json", reportJson(sampleReport()).dump().substr(0, 700)), "no JSON");
    expectInputError(writeText("array.json", "[1, 2]"), "no report");
    expectInputError(writeText("foreign.json", R"({"transport": "tcp"})"), "no report");
    expectInputError(writeText("number.json", R"({"schema": 1})"), "no report");
    expectInputError(writeText("later.json", R"({"schema": "verbcast-bench/2"})"),
                     "has schema verbcast-bench/2");
    expectInputError(writeText("bare.json", R"({"schema": "verbcast-bench/1"})"), "machine");
    auto json = reportJson(sampleReport());
    json["rows"][0]["fps"] = "fast";
    expectInputError(writeText("typed.json", json.dump()), "damaged");
    json = reportJson(sampleReport());
    json["rows"] = 7;
    expectInputError(writeText("rows.json", json.dump()), "damaged");
}

}  // namespace
}  // namespace verbcast::testing
