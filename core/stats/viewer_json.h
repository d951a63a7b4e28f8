// The JSON form of a sender's viewers (docs/streams.md).
#pragma once

#include <nlohmann/json.hpp>

#include "core/stats/percentiles_json.h"
#include "core/stats/rail_json.h"
#include "core/stats/viewer_stats.h"

namespace verbcast {

/// Names and reasons come from peers, and may not be UTF-8.
inline nlohmann::ordered_json viewerJson(const ViewerStats& viewer) {
    nlohmann::ordered_json json{{"name", viewer.name},
                                {"peer", viewer.peer},
                                {"transport", viewer.transport},
                                {"protection", viewer.protection},
                                {"connected", viewer.connected},
                                {"connected_seconds", viewer.connectedSeconds},
                                {"end_reason", viewer.connected ? nlohmann::ordered_json(nullptr)
                                                                : nlohmann::ordered_json(viewer.endReason)},
                                {"connections", viewer.connections},
                                {"frames_sent", viewer.framesSent},
                                {"frames_dropped", viewer.framesDropped},
                                {"frames_lost", viewer.framesLost},
                                {"frames_shown", viewer.framesShown},
                                {"frames_skipped", viewer.framesSkipped},
                                {"bytes", viewer.bytes},
                                {"latency_us", percentilesJson(viewer.latency)},
                                {"clock_error_us", viewer.clockErrorUs}};
    if (!viewer.rails.empty()) {
        json["rails"] = railsJson(viewer.rails, false);
    }
    return json;
}

}  // namespace verbcast
