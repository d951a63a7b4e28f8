#include "core/stats/stream_stats.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/os/whole_file.h"
#include "core/stats/live_stats.h"
#include "core/stats/stats_json.h"
#include "tests/support/expectations.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

class StatsFile : public ::testing::Test {
  protected:
    const TemporaryFolder made_;
    const std::filesystem::path folder_ = made_.path();
};

TEST_F(StatsFile, HoldsTheDocumentedKeysAndLeavesNothingElse) {
    StreamStats stats;
    stats.transport = "shm";
    stats.format = tightFormat(3840, 2160, PixelFormat::v210);
    stats.framesTransferred = 61;
    stats.bytes = 61 * 1000;
    stats.seconds = 1;
    const std::string path = folder_ / "stats.json";
    checkWritable(path);
    EXPECT_FALSE(std::filesystem::exists(path)) << "checking must not create it";
    stats.upload =
        UploadStats{.inPlace = 60, .withinGpu = 2, .uploaded = 1, .reason = "dma-buf: read where it lies"};
    writeStatsJson(path, [&] {
        return statsJson(StreamEnd::Receiver, stats, "frames",
                         NumaStats{.node = 1, .chosenBy = "auto", .reason = "mlx5_0 is on node 1"});
    });
    const std::string text = contentOf(path);
    for (const char* key : {"\"transport\": \"shm\"",
                            "\"width\": 3840",
                            "\"height\": 2160",
                            "\"pixel_format\": \"v210\"",
                            "\"frames_received\": 61",
                            "\"frames_shown\"",
                            "\"frames_dropped\"",
                            "\"frames_corrupt\"",
                            "\"bytes\": 61000",
                            "\"seconds\"",
                            "\"fps\": 60.0",
                            "\"gigabytes_per_second\": 6e-05",
                            "\"frames_in_place\": 60",
                            "\"frames_within_gpu\": 2",
                            "\"frames_uploaded\": 1",
                            "\"dma-buf: read where it lies\"",
                            "\"node\": 1",
                            "\"chosen_by\": \"auto\"",
                            "\"mlx5_0 is on node 1\"",
                            "\"latency_us\"",
                            "\"p999\"",
                            "\"cpu_seconds\"",
                            "\"exit_reason\": \"frames\""}) {
        EXPECT_TRUE(contains(text, key)) << key << " in\n" << text;
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST(PercentilesJson, WhatTooFewValuesDoNotTellIsNull) {
    const auto none = fieldsJson(Percentiles{});
    for (const char* key : {"p50", "p99", "p999", "max"}) {
        EXPECT_TRUE(none.at(key).is_null()) << key;
    }
    EXPECT_TRUE(
        fieldsJson(Percentiles{.count = 99, .p50 = 1, .p99 = 2, .p999 = 2, .max = 2}).at("p99").is_null());
    const auto few = fieldsJson(Percentiles{.count = 999, .p50 = 1, .p99 = 2, .p999 = 3, .max = 3});
    EXPECT_EQ(few.at("p99"), 2);
    EXPECT_TRUE(few.at("p999").is_null());
    EXPECT_EQ(fieldsJson(Percentiles{.count = 1000, .p50 = 1, .p99 = 2, .p999 = 3, .max = 4}).at("p999"), 3);
}

TEST(StatsJson, EachEndHasItsOwnKeysInTheOrderOfTheList) {
    StreamStats stats;
    stats.rails.emplace_back().missed = 3;
    stats.group = GroupStats{.frames = 4};
    const auto keys = [](const nlohmann::ordered_json& json) {
        std::string list;
        for (const auto& [key, value] : json.items()) {
            list += key + ' ';
        }
        return list;
    };
    const auto sent = fieldsJson(stats, StreamEnd::Sender);
    EXPECT_EQ(keys(sent),
              "transport width height pixel_format frames frames_sent frames_shown frames_dropped "
              "frames_lost frames_skipped frames_corrupt bytes bytes_moved bytes_copied bytes_from_device "
              "bytes_to_device seconds fps gigabytes_per_second latency_us clock_error_us stages_us "
              "connections connections_lost rails multicast receivers receivers_left_out ");
    EXPECT_EQ(keys(sent["stages_us"]), "capture post wire show ");
    EXPECT_EQ(keys(sent["rails"][0]),
              "rail transport local peer up frames_sent bytes frames_first times_down ");
    EXPECT_EQ(keys(sent["multicast"]),
              "frames datagrams bytes bytes_repeated bytes_repaired requests frames_by_rdma "
              "datagrams_by_rdma ");
    stats.cipher = {.bytes = 2'000'000'000, .nanoseconds = 1'000'000'000, .refused = 0};
    stats.bytesAssembled = 0;
    const auto received = fieldsJson(stats, StreamEnd::Receiver);
    EXPECT_EQ(keys(received),
              "transport width height pixel_format frames_received frames_shown frames_dropped frames_lost "
              "frames_skipped frames_corrupt frames_refused cipher_gigabytes_per_second bytes bytes_moved "
              "bytes_copied bytes_assembled bytes_from_device bytes_to_device seconds fps "
              "gigabytes_per_second latency_us clock_error_us latency_to_screen_us stages_us "
              "input_to_picture_us connect_to_first_frame_shown_ms connections connections_lost rails "
              "multicast ");
    EXPECT_EQ(received["cipher_gigabytes_per_second"], 2);
    EXPECT_EQ(received["rails"][0]["frames_missed"], 3);
    EXPECT_EQ(keys(received["multicast"]),
              "frames datagrams bytes datagrams_refused frames_late requests frames_by_rdma "
              "datagrams_by_rdma ");
}

TEST(StatsJson, WhatViewersDoNotHaveInCommonIsNull) {
    StreamStats stats;
    stats.viewers.emplace_back().connected = true;
    stats.viewers.emplace_back().endReason = "left";
    const auto json = fieldsJson(stats);
    EXPECT_TRUE(json["latency_us"].is_null());
    EXPECT_TRUE(json["clock_error_us"].is_null());
    EXPECT_TRUE(json["receivers"][0]["end_reason"].is_null());
    EXPECT_EQ(json["receivers"][1]["end_reason"], "left");
    EXPECT_TRUE(fieldsJson(NumaStats{})["node"].is_null());
}

TEST(Counters, AddWhatIsNewAndCopyOnlyCounts) {
    Counters<StreamStats> totals;
    StreamStats before;
    StreamStats now;
    now.bytesMoved = 10;
    totals.addNews(now, before);
    now.bytesMoved = 15;
    totals.addNews(now, before);
    ++totals[&StreamStats::framesLost];
    StreamStats stats;
    stats.transport = "tcp";
    totals.copyTo(stats);
    EXPECT_EQ(stats.bytesMoved, 15U);
    EXPECT_EQ(stats.framesLost, 1U);
    EXPECT_EQ(stats.transport, "tcp");
    addCounts(now, stats);
    EXPECT_EQ(now.bytesMoved, 30U);
}

TEST(Recorders, KeepEachLatencyApart) {
    Recorders<StreamStats> times;
    times[&StreamStats::stageWire].record(1000);
    StreamStats stats;
    times.copyTo(stats);
    EXPECT_EQ(stats.stageWire.count, 1U);
    EXPECT_EQ(stats.latency.count, 0U);
}

TEST_F(StatsFile, AnUnwritablePlaceIsToldBeforehand) {
    EXPECT_THROW(checkWritable(folder_ / "missing" / "stats.json"), Error);
    const auto text = [] { return statsJson(StreamEnd::Sender, StreamStats{}, "frames"); };
    EXPECT_THROW(writeStatsJson(folder_ / "missing" / "s.json", text), Error);
    EXPECT_NO_THROW(writeStatsJson("", text));
}

ViewerStats viewer(const char* name, bool connected) {
    ViewerStats viewer;
    viewer.name = name;
    viewer.peer = "127.0.0.1:7423";
    viewer.transport = "tcp";
    viewer.connected = connected;
    viewer.endReason = connected ? "" : "the viewer left";
    viewer.framesSent = 600;
    viewer.framesDropped = 3;
    viewer.framesShown = 590;
    viewer.latency = {.count = 600, .p50 = 40, .p99 = 120, .p999 = 120, .max = 200};
    viewer.clockErrorUs = 2.5;
    return viewer;
}

StreamStats senderStats() {
    StreamStats stats;
    stats.transport = "tcp";
    stats.framesTransferred = 601;
    stats.framesSent = 600;
    stats.framesDropped = 3;
    stats.framesLost = 1;
    stats.framesCorrupt = 2;
    stats.bytes = 601'000'000;
    stats.seconds = 10;
    stats.latency = {.count = 99, .p50 = 40, .p99 = 0, .p999 = 0, .max = 200};
    stats.clockErrorUs = 2.5;
    stats.viewers = {viewer("wall", true)};
    return stats;
}

std::optional<StreamStats> readBack(const std::string& text) {
    return senderStatsFromJson(nlohmann::ordered_json::parse(text, nullptr, false));
}

/// Without values that differ between calls.
nlohmann::json jsonOf(const StreamStats& stats) {
    auto json = nlohmann::json::parse(statsJson(StreamEnd::Sender, stats, "frames"));
    json.erase("cpu_seconds");
    return json;
}

TEST(StatsReader, ReadsWhatASenderWrites) {
    StreamStats one = senderStats();
    StreamStats several = senderStats();
    several.viewers.push_back(viewer("desk", false));
    several.viewersLeftOut = 4;
    for (const StreamStats& stats : {StreamStats{}, one, several}) {
        const auto read = readBack(statsJson(StreamEnd::Sender, stats, "frames"));
        ASSERT_TRUE(read);
        EXPECT_EQ(jsonOf(*read), jsonOf(stats));
    }
}

TEST(StatsReader, OtherTextsAreNothing) {
    for (const char* text : {"", "{}", "[]", "frames", R"({"frames": "many"})"}) {
        EXPECT_FALSE(readBack(text)) << text;
    }
}

}  // namespace
}  // namespace verbcast::testing
