// What the processes of `bench viewers` are told, and what they answer.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/bench/workers/frame_job.h"

namespace verbcast {

/// A group of viewers, in one process.
struct ViewersJob {
    FrameJob frame;             ///< address: where the sender listens; its slots are the sender's
    std::uint32_t viewers = 1;  ///< of the group; the sender's: of all groups
    double takesFps = -1;       ///< negative: every frame; 0: one, and holds it; else so many a second
};

struct ViewersSenderResult {
    SenderResult sender;
    double seconds = 0;
    std::uint64_t memoryBytes = 0;  ///< resident in the sender's process at the end; 0: not told
    std::uint64_t departures = 0;   ///< viewers that left or were sent away while frames counted
};

nlohmann::json toJson(const ViewersJob& job);
ViewersJob viewersJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const ViewersSenderResult& result);
ViewersSenderResult viewersSenderResultFromJson(const nlohmann::json& json);

/// Each viewer's result.
std::vector<ReceiverResult> viewersResultsFromJson(const nlohmann::json& json);

}  // namespace verbcast
