#include "app/bench/workers/frame_job.h"

#include <nlohmann/json.hpp>

#include "app/bench/workers/worker.h"

namespace verbcast {

Trust trustFor(const FrameJob& job) {
    Trust trust;
    if (!job.key.empty()) {
        trust.key = NamedKey{kSharedKeyName, SessionKey::fromText(job.key)};
        trust.encrypt = true;
    }
    return trust;
}

nlohmann::json toJson(const FrameJob& job) {
    nlohmann::json json{{"address", job.address},
                        {"width", job.size.width},
                        {"height", job.size.height},
                        {"pixel_format", pixelFormatName(job.pixelFormat)},
                        {"seconds", job.seconds},
                        {"verify", static_cast<int>(job.verify)},
                        {"slots", job.slots},
                        {"poll", job.poll},
                        {"pin", job.pin},
                        {"tells_damage", job.tellsDamage},
                        {"device", job.device},
                        {"key", job.key}};
    if (job.damage) {
        json["damage"] = *job.damage;
    }
    if (job.fps) {
        json["fps"] = {job.fps->numerator, job.fps->denominator};
    }
    if (job.frames) {
        json["frames"] = *job.frames;
    }
    return json;
}

FrameJob frameJobFromJson(const nlohmann::json& json) {
    FrameJob job{.address = json.at("address"),
                 .size = {json.at("width"), json.at("height")},
                 .pixelFormat = pixelFormatByName(json.at("pixel_format").get<std::string>()).value(),
                 .fps = std::nullopt,
                 .frames = std::nullopt,
                 .seconds = json.at("seconds"),
                 .verify = static_cast<Verify>(json.at("verify").get<int>()),
                 .slots = json.at("slots"),
                 .poll = json.at("poll"),
                 .pin = json.at("pin"),
                 .damage = std::nullopt,
                 .tellsDamage = json.at("tells_damage"),
                 .device = json.at("device"),
                 .key = json.at("key")};
    if (json.contains("fps")) {
        job.fps = Rational{json.at("fps").at(0), json.at("fps").at(1)};
    }
    if (json.contains("damage")) {
        job.damage = json.at("damage").get<double>();
    }
    if (json.contains("frames")) {
        job.frames = json.at("frames").get<std::uint64_t>();
    }
    return job;
}

nlohmann::json toJson(const SenderResult& result) {
    return {{"offered", result.offered},
            {"copies_per_frame", result.copiesPerFrame},
            {"pcie_copies_per_frame", result.pcieCopiesPerFrame},
            {"cipher", result.cipherGigabytesPerSecond},
            {"cpu", toJson(result.cpu)}};
}

SenderResult senderResultFromJson(const nlohmann::json& json) {
    return {.offered = json.at("offered"),
            .copiesPerFrame = json.at("copies_per_frame"),
            .pcieCopiesPerFrame = json.at("pcie_copies_per_frame"),
            .cipherGigabytesPerSecond = json.at("cipher"),
            .cpu = cpuUseFromJson(json.at("cpu"))};
}

nlohmann::json toJson(const ReceiverResult& result) {
    nlohmann::json latency = nlohmann::json::array();
    for (const LatencyHistogram::Bucket& bucket : result.latency.buckets()) {
        latency.push_back({bucket.valueNs, bucket.count});
    }
    return {{"frames", result.frames},
            {"last_number", result.lastNumber},
            {"corrupt", result.corrupt},
            {"seconds", result.seconds},
            {"jitter_us", result.jitterUs},
            {"copies_per_frame", result.copiesPerFrame},
            {"pcie_copies_per_frame", result.pcieCopiesPerFrame},
            {"bytes_moved_per_frame", result.bytesMovedPerFrame},
            {"latency", std::move(latency)},
            {"cpu", toJson(result.cpu)},
            {"cipher", result.cipherGigabytesPerSecond}};
}

ReceiverResult receiverResultFromJson(const nlohmann::json& json) {
    ReceiverResult result{.frames = json.at("frames"),
                          .lastNumber = json.at("last_number"),
                          .corrupt = json.at("corrupt"),
                          .seconds = json.at("seconds"),
                          .jitterUs = json.at("jitter_us"),
                          .copiesPerFrame = json.at("copies_per_frame"),
                          .pcieCopiesPerFrame = json.at("pcie_copies_per_frame"),
                          .bytesMovedPerFrame = json.at("bytes_moved_per_frame"),
                          .cipherGigabytesPerSecond = json.at("cipher"),
                          .latency = {},
                          .cpu = cpuUseFromJson(json.at("cpu"))};
    for (const auto& bucket : json.at("latency")) {
        result.latency.record(bucket.at(0), bucket.at(1));
    }
    return result;
}

}  // namespace verbcast
