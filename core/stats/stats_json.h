// Statistics as the programs write them (docs/reference.md): JSON with units in the keys. Strings that come
// from peers may not be UTF-8: dump() with error_handler_t::replace.
#pragma once

#include <concepts>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/whole_file.h"
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

/// Writes what make() returns, such a text, to `path` ("-": standard output), whole or not at all; "": does
/// nothing. Throws what writeWhole() throws; checkWritable() tells beforehand.
template <std::invocable Make>
void writeStatsJson(const std::string& path, Make&& make) {
    if (!path.empty()) {
        writeWhole(path, make());
    }
}

}  // namespace verbcast
