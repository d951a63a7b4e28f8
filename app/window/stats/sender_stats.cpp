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

std::optional<double> numberOrNull(const nlohmann::json& value) {
    return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

SenderStats::Receiver receiverStats(const nlohmann::json& json) {
    const nlohmann::json& latency = json.at("latency_us");
    return {.name = json.at("name"),
            .peer = json.at("peer"),
            .transport = json.at("transport"),
            .protection = protectionNamed(json.at("protection")),
            .sent = json.at("frames_sent"),
            .dropped = json.at("frames_dropped"),
            .skipped = json.at("frames_skipped"),
            .latencyP50 = numberOrNull(latency.at("p50")),
            .latencyP99 = numberOrNull(latency.at("p99"))};
}

/// What `read` takes from a line of JSON; nullopt if the line lacks it.
template <typename Read>
auto fromLine(std::string_view line, Read&& read) -> std::optional<decltype(read(nlohmann::json()))> {
    try {
        return read(nlohmann::json::parse(line));
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<SenderStats> senderStatsFromLine(std::string_view line) {
    return fromLine(line, [](const nlohmann::json& json) {
        SenderStats stats{.framesPerSecond = json.at("fps"),
                          .gigabytesPerSecond = json.at("gigabytes_per_second"),
                          .frames = json.at("frames"),
                          .dropped = json.at("frames_dropped"),
                          .bytes = json.at("bytes"),
                          .needsPairing = json.at("needs_pairing")};
        if (const auto decoder = json.find("decoder"); decoder != json.end()) {
            stats.decoder = decoder->at("name");
            stats.decoderReason = decoder->at("reason");
        }
        for (const nlohmann::json& receiver : json.at("receivers")) {
            stats.receivers.push_back(receiverStats(receiver));
        }
        return stats;
    });
}

std::optional<PairingNews> pairingNews(std::string_view line) {
    return fromLine(line, [](const nlohmann::json& json) {
        const nlohmann::json& pairing = json.at("pairing");
        return pairing.is_null()
                   ? PairingNews{}
                   : PairingNews{PairingInvitation{pairing.at("host"), pairing.at("code"),
                                                   std::chrono::seconds(pairing.at("seconds"))}};
    });
}

std::optional<PlaybackNews> playbackNews(std::string_view line) {
    return fromLine(line, [](const nlohmann::json& json) {
        const nlohmann::json& playback = json.at("playback");
        return PlaybackNews{.position = playback.at("position_s"),
                            .duration = numberOrNull(playback.at("duration_s")),
                            .paused = playback.at("paused")};
    });
}

}  // namespace verbcast
