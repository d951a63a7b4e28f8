#include "app/pipe/pipe_report.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "app/pipe/pipe_progress.h"
#include "core/base/os/whole_file.h"

namespace verbcast {

nlohmann::ordered_json textOrNull(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json transferJson(const PipeStatus& status) {
    return {{"transport", textOrNull(status.transport)},
            {"bytes", status.bytes},
            {"seconds", status.seconds},
            {"gigabytes_per_second", bytesPerSecond(status) * 1e-9},
            {"block_bytes", status.blockBytes},
            {"depth", status.depth},
            {"checksum", textOrNull(status.checksum ? fmt::format("xxh3:{:016x}", *status.checksum) : "")}};
}

void writeReport(const std::string& path, const nlohmann::ordered_json& report) {
    writeWhole(path, report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace verbcast
