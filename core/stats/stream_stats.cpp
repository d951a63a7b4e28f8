#include "core/stats/stream_stats.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/os/clock.h"
#include "core/base/os/whole_file.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;

/// Adds how the program ended, and returns the text.
std::string finished(Json json, const std::string& exitReason, const std::optional<NumaStats>& numa) {
    if (numa) {
        json["numa"] = fieldsJson(*numa);
    }
    json["cpu_seconds"] = processCpuSeconds();
    json["exit_reason"] = exitReason;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

double StreamStats::framesPerSecond() const {
    return seconds > 0 && framesTransferred > 1 ? static_cast<double>(framesTransferred - 1) / seconds : 0;
}

double StreamStats::gigabytesPerSecond() const {
    if (seconds <= 0 || framesTransferred < 2) {
        return 0;
    }
    // `seconds` spans the intervals between frames: one fewer than there are frames.
    const double frames = static_cast<double>(framesTransferred);
    return static_cast<double>(bytes) * ((frames - 1) / frames) / seconds / 1e9;
}

std::string statsJson(StreamEnd end, const StreamStats& stats, const std::string& exitReason,
                      const std::optional<NumaStats>& numa) {
    return finished(fieldsJson(stats, end), exitReason, numa);
}

std::string statsJson(StreamEnd end, const std::vector<NamedStats>& streams, const std::string& exitReason,
                      const std::optional<AlignmentStats>& alignment, const std::optional<NumaStats>& numa) {
    Json json;
    if (alignment) {
        json["alignment"] = fieldsJson(*alignment);
    }
    Json& list = json["streams"] = Json::array();
    for (const NamedStats& stream : streams) {
        list.push_back(fieldsJson(stream, end));
    }
    return finished(std::move(json), exitReason, numa);
}

void writeStatsJson(const std::string& path, const std::string& json) {
    if (!path.empty()) {
        writeWhole(path, json);
    }
}

}  // namespace verbcast
