#include "app/bench/stages_job.h"

#include <fmt/format.h>
#include <sched.h>

#include "core/base/error.h"

namespace verbcast {

nlohmann::json toJson(const StagesJob& job) {
    nlohmann::json json{{"address", job.address}, {"source", job.source}, {"seconds", job.seconds},
                        {"slots", job.slots},     {"poll", job.poll},     {"read_back", job.readBack},
                        {"pin", job.pin}};
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

nlohmann::json stageToJson(const StageRun::Stage& stage) {
    return {{"name", stage.name},    {"count", stage.time.count}, {"p50", stage.time.p50},
            {"p99", stage.time.p99}, {"p999", stage.time.p999},   {"max", stage.time.max}};
}

StageRun::Stage stageFromJson(const nlohmann::json& json) {
    return {.name = json.at("name"),
            .time = {.count = json.at("count"),
                     .p50 = json.at("p50"),
                     .p99 = json.at("p99"),
                     .p999 = json.at("p999"),
                     .max = json.at("max")}};
}

void keepOnProcessor(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(processor), &set);
    if (processor >= CPU_SETSIZE || ::sched_setaffinity(0, sizeof set, &set) != 0) {
        throw Error(ErrorKind::Usage, fmt::format("--pin {}: this process may not run there", processor),
                    "see nproc, taskset -p $$");
    }
}

}  // namespace verbcast
