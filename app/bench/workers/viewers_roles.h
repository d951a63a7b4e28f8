// Jobs and results of the processes of `bench viewers`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/bench/workers/frame_job.h"

namespace verbcast {

/// A group of viewers in one process.
struct ViewersJob {
    FrameJob frame;             ///< address: where the sender listens; slots: the sender's
    std::uint32_t viewers = 1;  ///< in the group; in the sender's job: in all groups
    double takesFps = -1;       ///< negative: every frame; 0: takes one and holds it; else per second
};

struct ViewersSenderResult {
    SenderResult sender;
    double seconds = 0;
    std::uint64_t memoryBytes = 0;  ///< resident memory of the sender's process at the end; 0: unknown
    std::uint64_t departures = 0;   ///< viewers that left or were sent away during the measurement
};

nlohmann::json toJson(const ViewersJob& job);
ViewersJob viewersJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const ViewersSenderResult& result);
ViewersSenderResult viewersSenderResultFromJson(const nlohmann::json& json);

/// Results by viewer.
std::vector<ReceiverResult> viewersResultsFromJson(const nlohmann::json& json);

}  // namespace verbcast
