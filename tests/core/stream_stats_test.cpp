#include "core/stats/stream_stats.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"
#include "core/base/whole_file.h"
#include "core/stats/stats_json.h"

namespace verbcast::testing {
namespace {

class StatsFile : public ::testing::Test {
  protected:
    StatsFile() {
        std::string pattern = "/tmp/verbcast-stats-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~StatsFile() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_;
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
    writeStatsJson(path, StreamEnd::Receiver, stats, "frames",
                   NumaStats{.node = 1, .chosenBy = "auto", .reason = "mlx5_0 is on node 1"});
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
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
        EXPECT_NE(text.str().find(key), std::string::npos) << key << " in\n" << text.str();
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST(PercentilesJson, WhatTooFewValuesDoNotTellIsNull) {
    const auto none = percentilesJson({});
    for (const char* key : {"p50", "p99", "p999", "max"}) {
        EXPECT_TRUE(none.at(key).is_null()) << key;
    }
    EXPECT_TRUE(percentilesJson({.count = 99, .p50 = 1, .p99 = 2, .p999 = 2, .max = 2}).at("p99").is_null());
    const auto few = percentilesJson({.count = 999, .p50 = 1, .p99 = 2, .p999 = 3, .max = 3});
    EXPECT_EQ(few.at("p99"), 2);
    EXPECT_TRUE(few.at("p999").is_null());
    EXPECT_EQ(percentilesJson({.count = 1000, .p50 = 1, .p99 = 2, .p999 = 3, .max = 4}).at("p999"), 3);
}

TEST_F(StatsFile, AnUnwritablePlaceIsToldBeforehand) {
    EXPECT_THROW(checkWritable(folder_ / "missing" / "stats.json"), Error);
    EXPECT_THROW(writeStatsJson(folder_ / "missing" / "s.json", StreamEnd::Sender, StreamStats{}, "frames"),
                 Error);
}

}  // namespace
}  // namespace verbcast::testing
