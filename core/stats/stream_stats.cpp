#include "core/stats/stream_stats.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/clock.h"
#include "core/base/whole_file.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;

/// Percentiles of several viewers cannot be added up: receivers[] holds them.
bool isOfSeveral(const StreamStats& stats) {
    return stats.viewers.size() + stats.viewersLeftOut > 1;
}

Json groupJson(StreamEnd end, const GroupStats& stats) {
    Json json{{"frames", stats.frames}, {"datagrams", stats.datagrams}, {"bytes", stats.bytes}};
    if (end == StreamEnd::Sender) {
        json["bytes_repeated"] = stats.repeatedBytes;
        json["bytes_repaired"] = stats.repairedBytes;
    } else {
        json["datagrams_refused"] = stats.refused;
        json["frames_late"] = stats.framesLate;
    }
    json["requests"] = stats.requests;
    json["frames_by_rdma"] = stats.rdmaFrames;
    json["datagrams_by_rdma"] = stats.rdmaDatagrams;
    return json;
}

Json screenJson(const ScreenStats& stats) {
    return {{"connector", stats.connector},
            {"connected", stats.connected},
            {"width", stats.width},
            {"height", stats.height},
            {"refresh_hz", stats.refreshHz},
            {"page_flips", stats.pageFlips},
            {"shown_by", stats.shownBy},
            {"flips", stats.flips},
            {"unplugged", stats.unplugged},
            {"interval_us", percentilesJson(stats.interval)},
            {"wait_us", percentilesJson(stats.wait)}};
}

Json windowJson(const WindowStats& stats) {
    return {{"shown_by", stats.shownBy},
            {"reason", stats.reason},
            {"refresh_hz", stats.refreshHz},
            {"pictures_shown", stats.picturesShown},
            {"pictures_not_shown", stats.picturesNotShown},
            {"interval_us", percentilesJson(stats.interval)},
            {"wait_us", percentilesJson(stats.wait)}};
}

/// `json`: what comes first.
Json statsAsJson(StreamEnd end, const StreamStats& stats, Json json = {}) {
    json["transport"] = stats.transport;
    json["width"] = stats.format ? stats.format->width : 0;
    json["height"] = stats.format ? stats.format->height : 0;
    json["pixel_format"] = stats.format ? std::string(pixelFormatName(stats.format->pixelFormat)) : "";
    if (end == StreamEnd::Sender) {
        json["frames"] = stats.framesTransferred;
        json["frames_sent"] = stats.framesSent;
    } else {
        json["frames_received"] = stats.framesTransferred;
    }
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
    json["bytes_moved"] = stats.bytesMoved;
    json["bytes_copied"] = stats.bytesCopied;
    if (stats.bytesAssembled) {
        json["bytes_assembled"] = *stats.bytesAssembled;
    }
    json["bytes_from_device"] = stats.bytesFromDevice;
    json["bytes_to_device"] = stats.bytesToDevice;
    json["seconds"] = stats.seconds;
    json["fps"] = stats.framesPerSecond();
    json["gigabytes_per_second"] = stats.gigabytesPerSecond();
    json["latency_us"] = isOfSeveral(stats) ? Json(nullptr) : percentilesJson(stats.latency);
    json["clock_error_us"] = isOfSeveral(stats) ? Json(nullptr) : Json(stats.clockErrorUs);
    if (end == StreamEnd::Receiver) {
        json["latency_to_screen_us"] = percentilesJson(stats.latencyToScreen);
    }
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
    if (!stats.rails.empty()) {
        json["rails"] = railsJson(stats.rails, end == StreamEnd::Receiver);
    }
    if (stats.together) {
        json["together"] = togetherJson(*stats.together, end == StreamEnd::Sender);
    }
    if (stats.decoding) {
        json["decoder"] = decodingJson(*stats.decoding);
    }
    if (stats.screen) {
        json["screen"] = screenJson(*stats.screen);
    }
    if (stats.upload) {
        json["upload"] = {{"frames_in_place", stats.upload->inPlace},
                          {"frames_within_gpu", stats.upload->withinGpu},
                          {"frames_uploaded", stats.upload->uploaded},
                          {"reason", stats.upload->reason}};
    }
    if (stats.window) {
        json["window"] = windowJson(*stats.window);
    }
    if (stats.group) {
        json["multicast"] = groupJson(end, *stats.group);
    }
    if (end == StreamEnd::Sender) {
        auto& receivers = json["receivers"] = Json::array();
        for (const ViewerStats& viewer : stats.viewers) {
            receivers.push_back(viewerJson(viewer));
        }
        json["receivers_left_out"] = stats.viewersLeftOut;
    }
    return json;
}

/// Adds how the program ended, and returns the text.
std::string finished(Json json, const std::string& exitReason, const std::optional<NumaStats>& numa) {
    if (numa) {
        json["numa"] = numaJson(*numa);
    }
    json["cpu_seconds"] = processCpuSeconds();
    json["exit_reason"] = exitReason;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json alignmentJson(const AlignmentStats& stats) {
    return {{"by", stats.by},
            {"delay_ms", stats.delayMs},
            {"delay_given", stats.delayGiven},
            {"smallest_delay_ms", stats.smallestDelayMs},
            {"sets", stats.sets},
            {"skew_us", percentilesJson(stats.skew)}};
}

Json alignmentJson(const StreamAlignment& stats) {
    return {{"aligned", stats.aligned},
            {"reason", stats.reason},
            {"frames_late", stats.framesLate},
            {"frames_thinned", stats.framesThinned},
            {"slots_needed", stats.slotsNeeded}};
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
    return finished(statsAsJson(end, stats), exitReason, numa);
}

std::string statsJson(StreamEnd end, const std::vector<NamedStats>& streams, const std::string& exitReason,
                      const std::optional<AlignmentStats>& alignment, const std::optional<NumaStats>& numa) {
    Json json;
    if (alignment) {
        json["alignment"] = alignmentJson(*alignment);
    }
    Json& list = json["streams"] = Json::array();
    for (const NamedStats& stream : streams) {
        Json& each = list.emplace_back(
            statsAsJson(end, stream.stats, {{"number", stream.number}, {"name", stream.name}}));
        if (stream.alignment) {
            each["alignment"] = alignmentJson(*stream.alignment);
        }
        each["exit_reason"] = stream.exitReason;
    }
    return finished(std::move(json), exitReason, numa);
}

void writeStatsJson(const std::string& path, StreamEnd end, const StreamStats& stats,
                    const std::string& exitReason, const std::optional<NumaStats>& numa) {
    if (!path.empty()) {
        writeWhole(path, statsJson(end, stats, exitReason, numa));
    }
}

void writeStatsJson(const std::string& path, StreamEnd end, const std::vector<NamedStats>& streams,
                    const std::string& exitReason, const std::optional<AlignmentStats>& alignment,
                    const std::optional<NumaStats>& numa) {
    if (!path.empty()) {
        writeWhole(path, statsJson(end, streams, exitReason, alignment, numa));
    }
}

}  // namespace verbcast
