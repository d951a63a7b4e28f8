#include "app/window/stats/sender_stats.h"

#include <nlohmann/json.hpp>

namespace verbcast {
namespace {

/// Returns None for an unknown name: claims no protection that was not reported.
Protection protectionNamed(const std::string& name) {
    for (const Protection each : {Protection::ThisHost, Protection::Proven, Protection::Encrypted}) {
        if (name == nameOf(each)) {
            return each;
        }
    }
    return Protection::None;
}

SenderStats::Receiver receiverStats(const nlohmann::json& json) {
    const auto latency = [&](const char* name) {
        const nlohmann::json& value = json.at("latency_us").at(name);
        return value.is_null() ? std::nullopt : std::optional(value.get<double>());
    };
    return {.name = json.at("name"),
            .peer = json.at("peer"),
            .transport = json.at("transport"),
            .protection = protectionNamed(json.at("protection")),
            .sent = json.at("frames_sent"),
            .dropped = json.at("frames_dropped"),
            .shown = json.at("frames_shown"),
            .skipped = json.at("frames_skipped"),
            .latencyP50 = latency("p50"),
            .latencyP99 = latency("p99"),
            .clockError = json.at("clock_error_us")};
}

}  // namespace

std::optional<SenderStats> senderStatsFromLine(std::string_view line) {
    try {
        const nlohmann::json json = nlohmann::json::parse(line);
        SenderStats stats{.width = json.at("width"),
                          .height = json.at("height"),
                          .pixelFormat = json.at("pixel_format"),
                          .framesPerSecond = json.at("fps"),
                          .gigabytesPerSecond = json.at("gigabytes_per_second"),
                          .frames = json.at("frames"),
                          .dropped = json.at("frames_dropped"),
                          .bytes = json.at("bytes"),
                          .needsPairing = json.at("needs_pairing"),
                          .decoder = {},
                          .decoderReason = {},
                          .receivers = {}};
        if (const auto decoder = json.find("decoder"); decoder != json.end()) {
            stats.decoder = decoder->at("name");
            stats.decoderReason = decoder->at("reason");
        }
        for (const nlohmann::json& receiver : json.at("receivers")) {
            stats.receivers.push_back(receiverStats(receiver));
        }
        return stats;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

std::optional<PairingNews> pairingNews(std::string_view line) {
    try {
        const nlohmann::json json = nlohmann::json::parse(line);
        const nlohmann::json& pairing = json.at("pairing");
        if (pairing.is_null()) {
            return PairingNews{};
        }
        return PairingNews{PairingInvitation{pairing.at("host"), pairing.at("code"),
                                             std::chrono::seconds(pairing.at("seconds"))}};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

std::optional<PlaybackNews> playbackNews(std::string_view line) {
    try {
        const nlohmann::json json = nlohmann::json::parse(line);
        const nlohmann::json& playback = json.at("playback");
        const nlohmann::json& duration = playback.at("duration_s");
        return PlaybackNews{
            .position = playback.at("position_s"),
            .duration = duration.is_null() ? std::nullopt : std::optional(duration.get<double>()),
            .paused = playback.at("paused")};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace verbcast
