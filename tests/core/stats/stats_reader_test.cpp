// A runner reads the same statistics that its sender would report itself.
#include "core/stats/stats_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/stats/stream_stats.h"

namespace verbcast::testing {
namespace {

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
