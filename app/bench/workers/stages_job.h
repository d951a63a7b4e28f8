// What `bench stages` tells its two processes, and what they answer with.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// The same for both: the sender takes what concerns the source, the receiver what concerns the picture.
struct StagesJob {
    std::string address;  ///< the receiver listens there
    std::string source;
    std::optional<PixelFormat> pixelFormat;  ///< nothing: the source's own
    std::optional<BenchSize> size;           ///< nothing: the source's own
    std::optional<Rational> fps;          ///< a frame at each moment of this rate; nothing: lossless, at once
    std::optional<std::uint64_t> frames;  ///< measured ones
    double seconds = 3;                   ///< where frames is nothing
    std::uint32_t slots = 8;
    bool poll = false;
    bool readBack = false;
    bool input = false;    ///< the receiver sends input, the sender takes it
    std::vector<int> pin;  ///< processors of sender and receiver, or empty
};

nlohmann::json toJson(const StagesJob& job);
StagesJob stagesJobFromJson(const nlohmann::json& json);

nlohmann::json stageToJson(const StageRun::Stage& stage);
StageRun::Stage stageFromJson(const nlohmann::json& json);
nlohmann::json percentilesToJson(const Percentiles& time);
Percentiles percentilesFromJson(const nlohmann::json& json);
nlohmann::json costToJson(const PartCost& cost);
PartCost costFromJson(const nlohmann::json& json);

/// "waves" of "scene:waves"; "" of "scene": its own first one; nothing: the source is no scene.
std::optional<std::string> sceneOf(const std::string& source);

}  // namespace verbcast
