// Statistics as the programs write them (docs/streams.md): JSON, and a line of words. Strings that come from
// peers may not be UTF-8: dump() with error_handler_t::replace.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace verbcast {

struct DecodingStats;
struct NumaStats;
struct Percentiles;
struct RailStats;
struct TogetherStats;
struct ViewerStats;

/// "decoder" of a sender's statistics.
nlohmann::ordered_json decodingJson(const DecodingStats& stats);

/// "node" is null if none was chosen.
nlohmann::ordered_json numaJson(const NumaStats& stats);

/// What so few values do not tell is null.
nlohmann::ordered_json percentilesJson(const Percentiles& p);

/// `received`: on the receiving side.
nlohmann::ordered_json railsJson(const std::vector<RailStats>& rails, bool received);

/// "rail 1: tcp, 10.0.1.2:7423, 3600 frames, 3590 first, 10 missed, down 1 time"
std::string railText(const RailStats& rail, bool received);

/// `ofSender`: with all displays; else with its own only.
nlohmann::ordered_json togetherJson(const TogetherStats& stats, bool ofSender);

nlohmann::ordered_json viewerJson(const ViewerStats& viewer);

}  // namespace verbcast
