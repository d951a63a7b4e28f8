#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/bench/report/report_output.h"
#include "tests/bench/sample_report.h"
#include "tests/support/documented_keys.h"

namespace verbcast::testing {
namespace {

using Json = nlohmann::json;

/// The report as a reader of the file sees it.
Json written(const BenchReport& report) {
    return Json::parse(reportJson(report).dump(2));
}

void expectFinite(const Json& json, const std::string& where) {
    if (json.is_number_float()) {
        EXPECT_TRUE(std::isfinite(json.get<double>())) << where;
    }
    if (json.is_structured()) {
        for (const auto& [key, value] : json.items()) {
            expectFinite(value, where + "/" + key);
        }
    }
}

TEST(ReportJson, HoldsTheDocumentedKeys) {
    const Json json = written(sampleReport());
    EXPECT_EQ(json.at("schema"), "verbcast-bench/1");
    EXPECT_EQ(json.at("mode"), "frames");
    EXPECT_EQ(json.at("started_at"), "2026-01-02T03:04:05Z");
    EXPECT_EQ(json.at("command_line"), "verbcast bench --json 'a \"b\".json'");
    EXPECT_EQ(json.at("interrupted"), false);
    EXPECT_EQ(json.at("machine").at("memory_bytes"), 1ull << 34);
    expectDocumented(json, "The benchmark's report");
    expectWhole(json, "The benchmark's report");
}

TEST(ReportJson, FiguresOfARowAreThoseMeasured) {
    const Json json = written(sampleReport());
    const Json& row = json.at("rows").at(0);
    EXPECT_DOUBLE_EQ(row.at("gigabits_per_second"), 36);
    EXPECT_TRUE(row.at("latency_us").at("p999").is_null()) << "100 frames do not tell it";
    // 0.15 s for 100 frames of 33,177,600 bytes.
    EXPECT_DOUBLE_EQ(row.at("cpu_us_per_frame").at("sender"), 1500);
    EXPECT_NEAR(row.at("cpu_us_per_frame").at("receiver"), 2100, 1e-6);
    EXPECT_NEAR(row.at("cpu_seconds_per_gigabyte").at("sender"), 0.15 / 3.31776, 1e-9);
    EXPECT_DOUBLE_EQ(row.at("ratio_to_limit"), 0.9);
    EXPECT_EQ(row.at("limit").at("name"), "plain TCP");
    EXPECT_EQ(row.at("read_write_system_calls"), (Json{{"sender", 200}, {"receiver", nullptr}}));
    EXPECT_TRUE(row.at("offered_fps").is_null() && row.at("wake_up").is_null());
    EXPECT_EQ(row.at("repeats").size(), 3u);
    EXPECT_EQ(row.at("latency_distribution").at(1), (Json{{"microseconds", 120.0}, {"fraction", 0.5}}));
    const Json& other = json.at("rows").at(1);
    EXPECT_EQ(other.at("verify"), "header");
    EXPECT_EQ(other.at("offered_fps"), 60);
    EXPECT_TRUE(other.at("limit").is_null() && other.at("ratio_to_limit").is_null());
    EXPECT_EQ(other.at("wake_up").at("latency_us").at("p99"), 170);
    EXPECT_EQ(other.at("wake_up").at("cpu_us_both_sides"), 100);
}

TEST(ReportJson, ALimitThatWasNotMeasuredIsNoSpeed) {
    BenchReport report = sampleReport();
    report.rows[0].limit = Limit{"ib_write_bw", 0, "", "no RDMA device"};
    const Json json = written(report);
    EXPECT_TRUE(json.at("limits").at(1).at("gigabytes_per_second").is_null());
    EXPECT_EQ(json.at("limits").at(1).at("unavailable"), "not installed");
    EXPECT_TRUE(json.at("rows").at(0).at("limit").at("gigabytes_per_second").is_null());
    EXPECT_TRUE(json.at("rows").at(0).at("ratio_to_limit").is_null());
}

TEST(ReportJson, HoldsTheOtherParts) {
    const Json json = written(sampleReport());
    EXPECT_EQ(json.at("sweep").size(), 24u);
    EXPECT_EQ(json.at("sweep_fits").at(0).at("half_bytes"), 56250);
    EXPECT_EQ(json.at("registrations").at(0).at("register_us"), 20);
    EXPECT_EQ(json.at("register_crossovers").at(0).at("bytes"), 1 << 20);
    EXPECT_TRUE(json.at("register_crossovers").at(1).at("bytes").is_null()) << "never seen";
    EXPECT_EQ(json.at("rpc").at(1).at("callers"), 256);
    const Json& viewers = json.at("viewers");
    EXPECT_TRUE(viewers.at(0).at("slow_take").is_null());
    EXPECT_TRUE(viewers.at(0).at("ratios").at("p99").is_null());
    EXPECT_EQ(viewers.at(0).at("sender_cpu_us_per_frame"), 5000);
    EXPECT_EQ(viewers.at(1).at("slow_take"), "stall");
    EXPECT_DOUBLE_EQ(viewers.at(1).at("ratios").at("p99"), 1.05);
    EXPECT_DOUBLE_EQ(viewers.at(1).at("ratios").at("fps"), 0.99);
    EXPECT_DOUBLE_EQ(viewers.at(1).at("ratios").at("sender_memory"), 1);
    const Json& stages = json.at("stages").at(0);
    EXPECT_EQ(stages.at("stages").at(1).at("time_us").at("p99"), 1500);
    EXPECT_EQ(stages.at("offered_fps"), 60);
    const Json& cost = stages.at("transfer_cost");
    EXPECT_EQ(cost.at("parts").at(2).at("pipeline"), (Json{{"cpu_us", 2080.0}, {"wall_us", 2900.0}}));
    EXPECT_EQ(cost.at("together").at("alone"), (Json{{"cpu_us", 4000.0}, {"wall_us", 4080.0}}));
    EXPECT_EQ(cost.at("judged_by"), "cpu_us");
    EXPECT_DOUBLE_EQ(cost.at("ratio"), 1.1);
    EXPECT_EQ(cost.at("holds"), true) << "by processor time; by the clock it would not";
    BenchReport full = sampleReport();
    full.stages[0].transfer->keptFull = true;
    EXPECT_EQ(written(full).at("stages").at(0).at("transfer_cost").at("holds"), true)
        << "queues cost no processor";
    full.stages[0].transfer->byProcessorTime = false;
    const Json unjudged = written(full).at("stages").at(0).at("transfer_cost");
    EXPECT_TRUE(unjudged.at("holds").is_null() && unjudged.at("ratio").is_null());
    const Json& software = json.at("decoding").at(0);
    EXPECT_DOUBLE_EQ(software.at("fps"), 50);
    EXPECT_DOUBLE_EQ(software.at("cpu_us_per_picture"), 40'000);
    EXPECT_DOUBLE_EQ(software.at("ratio_to_ffmpeg"), 2);
    const Json& hardware = json.at("decoding").at(1);
    EXPECT_EQ(hardware.at("memory"), "device");
    EXPECT_TRUE(hardware.at("ffmpeg_fps").is_null() && hardware.at("ratio_to_ffmpeg").is_null());
    const Json& av = json.at("av").at(0);
    EXPECT_EQ(
        av.at("offset_ms"),
        (Json{{"p50", 39.0}, {"p99", 44.0}, {"max", 44.0}, {"least", -44.0}, {"most", 42.0}, {"count", 4}}));
    EXPECT_DOUBLE_EQ(av.at("starts_spread_ms"), 1.5);
    EXPECT_EQ(av.at("viewer_sound").at("playback").at("underruns"), 3);
    const Json& input = stages.at("input_to_picture");
    EXPECT_EQ(input.at("time_us").at("p50"), 18000);
    EXPECT_DOUBLE_EQ(input.at("frame_times").at("p50"), 1.08);
    EXPECT_DOUBLE_EQ(input.at("frame_times").at("p99"), 3.12);
    EXPECT_EQ(input.at("holds"), false) << "the tail is too long";
    EXPECT_EQ(json.at("notes").at(0), "verbs is left out: no RDMA device");
}

TEST(ReportJson, WhatMakesNoNumberIsNull) {
    const Json json = written(numberlessReport());
    expectFinite(json, "");
    const Json& row = json.at("rows").at(0);
    EXPECT_TRUE(row.at("cpu_us_per_frame").at("sender").is_null()) << "no frames";
    EXPECT_TRUE(row.at("latency_us").at("p99").is_null());
    EXPECT_TRUE(row.at("fps").is_null());
}

TEST(ReportJson, BytesThatAreNoTextAreReplaced) {
    BenchReport report = sampleReport();
    report.machine.commandLine = "verbcast bench --json caf\xe9.json";
    EXPECT_EQ(written(report).at("command_line"), "verbcast bench --json caf\uFFFD.json");
}

TEST(MachineInfo, SaysWhereAndWithWhat) {
    const char* const arguments[] = {"verbcast", "bench", "--json", "it's here.json"};
    const MachineInfo machine = describeMachine(4, arguments);
    EXPECT_FALSE(machine.processor.empty());
    EXPECT_GE(machine.processors, 1u);
    EXPECT_GT(machine.memoryBytes, 64ull << 20);
    EXPECT_TRUE(machine.kernel.starts_with("Linux ")) << machine.kernel;
    EXPECT_FALSE(machine.compiler.empty() || machine.verbcast.empty() || machine.ffmpeg.empty() ||
                 machine.rdmaCore.empty());
    EXPECT_EQ(machine.startedAt.size(), std::string("2026-01-02T03:04:05Z").size());
    EXPECT_EQ(machine.commandLine, "verbcast bench --json 'it'\\''s here.json'");
}

}  // namespace
}  // namespace verbcast::testing
