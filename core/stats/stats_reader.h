// Reads back what statsJson() has written: `verbcast run` hears of its stream so.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/stats/stream_stats.h"

namespace verbcast {

/// The totals, the latency and the viewers of a sender; the format and the stages are left out. Nothing for
/// JSON that statsJson(StreamEnd::Sender) has not written, and for what could not be parsed.
std::optional<StreamStats> senderStatsFromJson(const nlohmann::ordered_json& statistics);

}  // namespace verbcast
