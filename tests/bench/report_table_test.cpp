#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "app/bench/report/report_text.h"
#include "tests/bench/sample_report.h"

namespace verbcast::testing {
namespace {

/// Joins all lines, since words may be wrapped anywhere.
std::string unbroken(const std::string& text) {
    return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST(ReportTable, ShowsEachPartThatIsFilled) {
    const std::string text = unbroken(terminalOf(sampleReport()));
    for (const char* part :
         {"Example <CPU> & Co, 2 processors",
          "Frames (",
          "Limits (",
          "Sweep (",
          "Fit of t",
          "Registering memory (",
          "Calls (",
          "Viewers (",
          "16 that stall",
          "fps 0.99, p99 1.05",
          "viewers that left or were sent away: 1",
          "Decoding (",
          "cuda device 3840x2160 nv12 100",
          "ffmpeg is not installed",
          "Picture and sound (",
          "shm 1920x1080 rgba 60 4 39.00 44.00 44.00 -44.00 42.00 1 2",
          "--av-offset 40; 2 starts, whose medians are 1.50 ms apart; first sound 150 ms after the first "
          "flash",
          "the viewer's own account: p50 0.25 ms, max 1.50 ms from 0, pictures wait 85.5 ms, 3 underruns",
          "5.33 ms are subtracted",
          "Stages (",
          "verified full",
          "verified header: pixels not touched",
          "60 fps offered",
          "limit plain TCP 5.00 GB/s, ratio 0.90",
          "15.0k hand-offs a second, no pixel is moved",
          "limit plain TCP: checks <nothing>",
          "3 runs: 4.40 to 4.60 GB/s",
          "not measured: not installed",
          "128 in flight",
          "64 MiB",
          "54.9 KiB",
          "registering each time is cheaper from 1 MiB on",
          "copying was cheaper at every size measured",
          "75% ##############################",
          "does not hold: input is in the picture after 18.0 ms, 1.08 frame times (p50, at most 1.5)",
          "upload 1900 2080 1.09 1950 2900 1.49",
          "holds: read-back, hand-off and upload together cost 4.40 ms of processor time a frame",
          "ratio 1.10, at most 1.15",
          "note: verbs is left out: no RDMA device"}) {
        EXPECT_TRUE(holds(text, part)) << part << " in\n" << text;
    }
    EXPECT_FALSE(holds(text, "interrupted"));
}

TEST(ReportTable, LeavesOutWhatIsEmptyAndSaysWhenItWasInterrupted) {
    BenchReport report;
    report.interrupted = true;
    report.limits = {{"memcpy", 16.1, "one thread", ""}};
    const std::string text = terminalOf(report);
    EXPECT_TRUE(holds(text, "Limits"));
    EXPECT_TRUE(holds(text, "interrupted: these are the figures until then"));
    for (const char* part : {"Frames", "Sweep", "Registering", "Calls", "Viewers", "Stages"}) {
        EXPECT_FALSE(holds(text, part)) << part;
    }
}

TEST(ReportTable, QueueWaitIsNoLatencyAndAHandOffNoThroughput) {
    BenchReport report;
    report.rows = {sampleRow("shm", Verify::None, 4336), sampleRow("tcp", Verify::Full, 3)};
    const std::string text = unbroken(terminalOf(report));
    EXPECT_TRUE(holds(text, "130691 - - - - -")) << text;  // fps, GB/s, latency
    EXPECT_TRUE(holds(text, "131k hand-offs a second, no pixel is moved")) << text;
    EXPECT_TRUE(holds(text, "tcp 3840x2160 rgba 90.4 3.00 - - - -")) << text;
    EXPECT_FALSE(holds(text, "ratio 867"));
    EXPECT_FALSE(holds(text, "4336"));
    report.rows[1].offeredFps = 60;
    EXPECT_TRUE(holds(unbroken(terminalOf(report)), "3.00 120 340 - 561"));
    report.rows[1].offeredFps = 120;
    const std::string behind = unbroken(terminalOf(report));
    EXPECT_TRUE(holds(behind, "3.00 - - - -")) << behind;
    EXPECT_TRUE(holds(behind, "the rate was not kept, so latency would be the wait in queues")) << behind;
}

TEST(ReportTable, ACipherThatCouldNotBeMeasuredSaysWhy) {
    BenchReport report;
    report.rows = {sampleRow("tcp", Verify::Full, 3)};
    report.rows[0].cipher =
        Ciphering{2, 2.5, {"openssl speed", 0, "", "openssl is not installed"}, {"-decrypt", 0, "", "too"}};
    const std::string text = unbroken(terminalOf(report));
    EXPECT_TRUE(
        holds(text, "encrypts 2.00 GB/s while it does, openssl speed not measured: openssl is not installed"))
        << text;
}

TEST(ReportTable, FitsATerminal) {
    std::istringstream lines(terminalOf(sampleReport()));
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 110u) << line;
    }
}

TEST(ReportTable, WhatMakesNoNumberIsADash) {
    const std::string text = terminalOf(numberlessReport());
    EXPECT_FALSE(std::regex_search(text, std::regex("\\b(nan|inf)\\b"))) << text;
}

TEST(ReportTable, ARowAtARateIsHeldAgainstABareWakeUp) {
    // 120 and 340 us of latency, and 3600 us of CPU in both processes, relative to the sample's wake-up.
    BenchReport report = sampleReport();
    const std::string bare = "a bare futex wake-up takes p50 60.0 us, p99 170 us and 100 us of CPU";
    report.rows[1].verify = Verify::Full;  // whose CPU is that of its pixels
    EXPECT_TRUE(holds(unbroken(terminalOf(report)), bare + ": the row's latency 2.00 and 2.00 times that"));
    EXPECT_FALSE(holds(unbroken(terminalOf(report)), "its CPU 36.00"));
    report.rows[1].verify = Verify::Header;
    EXPECT_TRUE(holds(unbroken(terminalOf(report)),
                      bare + ": the row's latency 2.00 and 2.00 times that, its CPU 36.00 times"));
    report.rows[1].fps = report.rows[1].offeredFps / 2;  // its latency is a wait in queues
    EXPECT_FALSE(holds(unbroken(terminalOf(report)), bare + ":"));
}

TEST(ReportText, ExpressionsAreFilledIn) {
    const Json row{{"a", 2.5},      {"n", 12000},   {"in", {{"b", 4}}}, {"none", nullptr},
                   {"word", "{a}"}, {"well", true}, {"load", 0},        {"bytes", 1536}};
    EXPECT_EQ(filled("{a} {n} {n:c} {in.b} {in.b:2} {word} {well} {load:l} {bytes:b} {a:g}", row),
              "2.50 12000 12.0k 4 4.00 {a} holds idle 1.5 KiB 2.5");
    EXPECT_EQ(filled("{a + in.b * 10 / n:4}", row), "0.0054") << "from left to right";
    EXPECT_EQ(filled("{none} {none.more:2} {a / none}", row), "- - -");
    EXPECT_THROW(filled("{in.c}", row), Json::exception);
}

TEST(ReportText, WhatLacksAValueIsLeftOutOrReplaced) {
    const Json row{{"a", 1}, {"none", nullptr}};
    EXPECT_EQ(filled("x[, {a}][, {none}][, {a}[ and {none}]]", row), "x, 1, 1");
    EXPECT_EQ(filled("[{a}|other] [{none}|other] [{none}|[{none}|last]]", row), "1 other last");
    EXPECT_EQ(
        sentences("first {a}; second {none};\n  third [{none}|is {a}]; fourth [{none}|{none}]; {none}", row),
        "first 1; third is 1");
}

}  // namespace
}  // namespace verbcast::testing
