#include "core/stats/stats_reader.h"

#include <nlohmann/json.hpp>

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;

double numberOrZero(const Json& value) {
    return value.is_null() ? 0 : value.get<double>();
}

/// Reads what percentilesJson() writes; null if several viewers have no common latency.
Percentiles percentilesFrom(const Json& json) {
    if (json.is_null()) {
        return {};
    }
    return {.count = json.at("count").get<std::uint64_t>(),
            .p50 = numberOrZero(json.at("p50")),
            .p99 = numberOrZero(json.at("p99")),
            .p999 = numberOrZero(json.at("p999")),
            .max = numberOrZero(json.at("max"))};
}

/// Reads what viewerJson() writes.
ViewerStats viewerFrom(const Json& json) {
    ViewerStats viewer;
    viewer.name = json.at("name").get<std::string>();
    viewer.peer = json.at("peer").get<std::string>();
    viewer.transport = json.at("transport").get<std::string>();
    viewer.protection = json.at("protection").get<std::string>();
    viewer.connected = json.at("connected").get<bool>();
    viewer.connectedSeconds = json.at("connected_seconds").get<double>();
    viewer.endReason = viewer.connected ? "" : json.at("end_reason").get<std::string>();
    viewer.connections = json.at("connections").get<std::uint64_t>();
    viewer.framesSent = json.at("frames_sent").get<std::uint64_t>();
    viewer.framesDropped = json.at("frames_dropped").get<std::uint64_t>();
    viewer.framesLost = json.at("frames_lost").get<std::uint64_t>();
    viewer.framesShown = json.at("frames_shown").get<std::uint64_t>();
    viewer.framesSkipped = json.at("frames_skipped").get<std::uint64_t>();
    viewer.bytes = json.at("bytes").get<std::uint64_t>();
    viewer.latency = percentilesFrom(json.at("latency_us"));
    viewer.clockErrorUs = json.at("clock_error_us").get<double>();
    return viewer;
}

StreamStats statsFrom(const Json& json) {
    StreamStats stats;
    stats.transport = json.at("transport").get<std::string>();
    stats.framesTransferred = json.at("frames").get<std::uint64_t>();
    stats.framesSent = json.at("frames_sent").get<std::uint64_t>();
    stats.framesShown = json.at("frames_shown").get<std::uint64_t>();
    stats.framesDropped = json.at("frames_dropped").get<std::uint64_t>();
    stats.framesLost = json.at("frames_lost").get<std::uint64_t>();
    stats.framesSkipped = json.at("frames_skipped").get<std::uint64_t>();
    stats.framesCorrupt = json.at("frames_corrupt").get<std::uint64_t>();
    stats.bytes = json.at("bytes").get<std::uint64_t>();
    stats.bytesMoved = json.at("bytes_moved").get<std::uint64_t>();
    stats.seconds = json.at("seconds").get<double>();
    stats.latency = percentilesFrom(json.at("latency_us"));
    stats.clockErrorUs = numberOrZero(json.at("clock_error_us"));
    stats.connections = json.at("connections").get<std::uint64_t>();
    stats.connectionsLost = json.at("connections_lost").get<std::uint64_t>();
    for (const Json& viewer : json.at("receivers")) {
        stats.viewers.push_back(viewerFrom(viewer));
    }
    stats.viewersLeftOut = json.at("receivers_left_out").get<std::uint64_t>();
    return stats;
}

}  // namespace

std::optional<StreamStats> senderStatsFromJson(const Json& statistics) {
    try {
        return statsFrom(statistics);
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace verbcast
