#include "app/pipe/pipe_report.h"

#include <fmt/format.h>

#include "app/pipe/pipe_progress.h"
#include "core/base/whole_file.h"

namespace verbcast {

nlohmann::ordered_json transferJson(const PipeStatus& status) {
    const auto text = [](const std::string& value) {
        return value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
    };
    return {{"transport", text(status.transport)},
            {"bytes", status.bytes},
            {"seconds", status.seconds},
            {"gigabytes_per_second", bytesPerSecond(status) * 1e-9},
            {"block_bytes", status.blockBytes},
            {"depth", status.depth},
            {"checksum", text(status.checksum ? fmt::format("xxh3:{:016x}", *status.checksum) : "")}};
}

void writeReport(const std::string& path, const nlohmann::ordered_json& report) {
    const std::string whole =
        report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (path == "-") {
        fmt::print("{}", whole);
    } else {
        writeWhole(path, whole);
    }
}

}  // namespace verbcast
