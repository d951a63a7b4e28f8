#include "app/bench/workers/stages/stages_job.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"

namespace verbcast {

nlohmann::json toJson(const StagesJob& job) {
    nlohmann::json json{{"address", job.address}, {"source", job.source}, {"seconds", job.seconds},
                        {"slots", job.slots},     {"poll", job.poll},     {"read_back", job.readBack},
                        {"input", job.input},     {"pin", job.pin},       {"device", job.device}};
    if (job.pixelFormat) {
        json["pixel_format"] = static_cast<int>(*job.pixelFormat);
    }
    if (job.size) {
        json["size"] = {job.size->width, job.size->height};
    }
    if (job.fps) {
        json["fps"] = {job.fps->numerator, job.fps->denominator};
    }
    if (job.frames) {
        json["frames"] = *job.frames;
    }
    return json;
}

StagesJob stagesJobFromJson(const nlohmann::json& json) {
    StagesJob job;
    job.address = json.at("address");
    job.source = json.at("source");
    job.seconds = json.at("seconds");
    job.slots = json.at("slots");
    job.poll = json.at("poll");
    job.readBack = json.at("read_back");
    job.input = json.at("input");
    job.device = json.at("device");
    job.pin = json.at("pin").get<std::vector<int>>();
    if (json.contains("pixel_format")) {
        job.pixelFormat = static_cast<PixelFormat>(json["pixel_format"].get<int>());
    }
    if (json.contains("size")) {
        job.size = BenchSize{json["size"].at(0), json["size"].at(1)};
    }
    if (json.contains("fps")) {
        job.fps = Rational{json["fps"].at(0), json["fps"].at(1)};
    }
    if (json.contains("frames")) {
        job.frames = json["frames"].get<std::uint64_t>();
    }
    return job;
}

nlohmann::json percentilesToJson(const Percentiles& time) {
    return {
        {"count", time.count}, {"p50", time.p50}, {"p99", time.p99}, {"p999", time.p999}, {"max", time.max}};
}

Percentiles percentilesFromJson(const nlohmann::json& json) {
    return {.count = json.at("count"),
            .p50 = json.at("p50"),
            .p99 = json.at("p99"),
            .p999 = json.at("p999"),
            .max = json.at("max")};
}

nlohmann::json stageToJson(const StageRun::Stage& stage) {
    return {{"name", stage.name}, {"time", percentilesToJson(stage.time)}};
}

StageRun::Stage stageFromJson(const nlohmann::json& json) {
    return {.name = json.at("name"), .time = percentilesFromJson(json.at("time"))};
}

nlohmann::json costToJson(const PartCost& cost) {
    return {{"cpu_us", cost.cpuUs}, {"wall_us", cost.wallUs}};
}

PartCost costFromJson(const nlohmann::json& json) {
    // NaN is written as null.
    const auto number = [&](const char* key) {
        return json.at(key).is_number() ? json.at(key).get<double>()
                                        : std::numeric_limits<double>::quiet_NaN();
    };
    return {.cpuUs = number("cpu_us"), .wallUs = number("wall_us")};
}

std::optional<std::string> sceneOf(const std::string& source) {
    constexpr std::string_view kScene = "scene";
    if (source == kScene) {
        return "";
    }
    return source.starts_with("scene:") ? std::optional(source.substr(kScene.size() + 1)) : std::nullopt;
}

}  // namespace verbcast
