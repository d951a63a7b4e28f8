// Reads back what statsJson() has written: this is how `verbcast run` learns about its stream.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/stats/stream_stats.h"

namespace verbcast {

/// The totals, the latency and the viewers of a sender, without the format and the stages. nullopt for JSON
/// that statsJson(StreamEnd::Sender) has not written, or that could not be parsed.
std::optional<StreamStats> senderStatsFromJson(const nlohmann::ordered_json& statistics);

}  // namespace verbcast
