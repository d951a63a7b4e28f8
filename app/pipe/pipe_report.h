// --stats-json of the commands that have a pipe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/pipe/pipe_run.h"

namespace verbcast {

/// Null if the text is empty.
nlohmann::ordered_json textOrNull(const std::string& text);

/// What one connection moved: transport, bytes, seconds, gigabytes_per_second, block_bytes, depth and
/// checksum (null: none or unknown).
nlohmann::ordered_json transferJson(const PipeStatus& status);

/// Writes to a file, completely or not at all; "-" is standard output. Check with checkWritable() first.
void writeReport(const std::string& path, const nlohmann::ordered_json& report);

}  // namespace verbcast
