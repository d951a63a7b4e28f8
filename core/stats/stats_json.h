// Statistics as the programs write them (docs/streams.md): JSON, and a line of words. Strings that come from
// peers may not be UTF-8: dump() with error_handler_t::replace.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/stats/stats_fields.h"

namespace verbcast {

struct RailStats;
struct StreamStats;

/// The struct's fields, under the keys of that end. Instantiated for those that stats_json.cpp names.
template <HasFields Stats>
nlohmann::ordered_json fieldsJson(const Stats& stats, StreamEnd end = StreamEnd::Sender);

/// Reads a sender's statistics back, except for what is derived: this is how `verbcast run` learns about its
/// stream. nullopt for JSON that statsJson(StreamEnd::Sender) has not written, or that could not be parsed.
std::optional<StreamStats> senderStatsFromJson(const nlohmann::ordered_json& statistics);

/// "rail 1: tcp, 10.0.1.2:7423, 3600 frames, 3590 first, 10 missed, down 1 time". `received`: on the
/// receiving side.
std::string railText(const RailStats& rail, bool received);

}  // namespace verbcast
