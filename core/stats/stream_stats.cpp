#include "core/stats/stream_stats.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/whole_file.h"
#include "core/stats/percentiles_json.h"

namespace verbcast {
namespace {

nlohmann::ordered_json statsJson(StreamEnd end, const StreamStats& stats, const std::string& exitReason) {
    nlohmann::ordered_json json;
    json["transport"] = stats.transport;
    json["width"] = stats.format ? stats.format->width : 0;
    json["height"] = stats.format ? stats.format->height : 0;
    json["pixel_format"] = stats.format ? std::string(pixelFormatName(stats.format->pixelFormat)) : "";
    json[end == StreamEnd::Sender ? "frames_sent" : "frames_received"] = stats.framesTransferred;
    json["frames_shown"] = stats.framesShown;
    json["frames_dropped"] = stats.framesDropped;
    json["frames_lost"] = stats.framesLost;
    json["frames_skipped"] = stats.framesSkipped;
    json["frames_corrupt"] = stats.framesCorrupt;
    if (stats.cipherBytes > 0 || stats.framesRefused > 0) {
        json["frames_refused"] = stats.framesRefused;
        json["cipher_gigabytes_per_second"] =
            stats.cipherSeconds > 0 ? static_cast<double>(stats.cipherBytes) / stats.cipherSeconds / 1e9 : 0;
    }
    json["bytes"] = stats.bytes;
    json["seconds"] = stats.seconds;
    json["fps"] = stats.framesPerSecond();
    json["gigabytes_per_second"] = stats.gigabytesPerSecond();
    json["latency_us"] = percentilesJson(stats.latency);
    json["clock_error_us"] = stats.clockErrorUs;
    json["stages_us"] = {{"capture", percentilesJson(stats.stageCapture)},
                         {"post", percentilesJson(stats.stagePost)},
                         {"wire", percentilesJson(stats.stageWire)},
                         {"show", percentilesJson(stats.stageShow)}};
    if (end == StreamEnd::Receiver) {
        json["input_to_picture_us"] = percentilesJson(stats.inputToPicture);
        json["connect_to_first_frame_shown_ms"] = stats.connectToFirstShownMs;
    }
    json["connections"] = stats.connections;
    json["connections_lost"] = stats.connectionsLost;
    json["cpu_seconds"] = processCpuSeconds();
    json["exit_reason"] = exitReason;
    return json;
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

void writeStatsJson(const std::string& path, StreamEnd end, const StreamStats& stats,
                    const std::string& exitReason) {
    if (path.empty()) {
        return;
    }
    const std::string text = statsJson(end, stats, exitReason).dump(2) + "\n";
    if (path == "-") {
        std::fputs(text.c_str(), stdout);
        std::fflush(stdout);
        return;
    }
    writeWhole(path, text);
}

}  // namespace verbcast
