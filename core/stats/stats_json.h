// Statistics as the programs write them (docs/reference.md): JSON with units in the keys. Strings that come
// from peers may not be UTF-8: dump() with error_handler_t::replace.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/stream_stats.h"

namespace verbcast {

/// The struct's fields, under the keys of that end. Instantiated for those that stats_json.cpp names.
template <HasFields Stats>
nlohmann::ordered_json fieldsJson(const Stats& stats, StreamEnd end = StreamEnd::Sender);

/// Reads a sender's statistics back, except for what is derived: this is how `verbcast run` learns about its
/// stream. nullopt for JSON that statsJson(StreamEnd::Sender) has not written, or that could not be parsed.
std::optional<StreamStats> senderStatsFromJson(const nlohmann::ordered_json& statistics);

/// The whole text of a program's statistics. `numa`: of the program.
std::string statsJson(StreamEnd end, const StreamStats& stats, const std::string& exitReason,
                      const std::optional<NumaStats>& numa = std::nullopt);

/// The same for each stream, in "streams", with number and name, after how they are aligned, if they are.
std::string statsJson(StreamEnd end, const std::vector<NamedStats>& streams, const std::string& exitReason,
                      const std::optional<AlignmentStats>& alignment = std::nullopt,
                      const std::optional<NumaStats>& numa = std::nullopt);

/// Writes that to `path` ("-": standard output; "": nowhere), whole or not at all. Throws what writeWhole()
/// throws; checkWritable() tells beforehand.
void writeStatsJson(const std::string& path, const std::string& json);

}  // namespace verbcast
