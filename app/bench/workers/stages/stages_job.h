// Jobs and results of the two processes of `bench stages`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/workers/worker.h"

namespace verbcast {

/// The same for both: the sender uses what concerns the source, the receiver what concerns the picture.
struct StagesJob : BenchRunOptions {
    std::string address{};  ///< the receiver listens there
    std::string source{};
    std::optional<PixelFormat> pixelFormat{};  ///< nullopt: the source's own
    std::optional<PictureSize> size{};         ///< nullopt: the source's own
    bool readBack = false;
    bool input = false;  ///< the receiver sends input, the sender accepts it
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StagesJob, address, source, pixelFormat, size, fps, frames, seconds, slots,
                                   poll, readBack, deviceMemory, input, pin)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Percentiles, count, p50, p99, p999, max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageRun::Stage, name, time)
/// Null is not a number.
void to_json(nlohmann::json& json, const PartCost& cost);
void from_json(const nlohmann::json& json, PartCost& cost);

/// "waves" for "scene:waves"; "" for "scene", which means the first one; nullopt if the source is no scene.
std::optional<std::string> sceneOf(const std::string& source);

}  // namespace verbcast
