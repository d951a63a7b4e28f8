// Jobs and results of the two processes of `bench stages`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/bench_report.h"

namespace verbcast {

/// The same for both: the sender uses what concerns the source, the receiver what concerns the picture.
struct StagesJob {
    std::string address;  ///< the receiver listens there
    std::string source;
    std::optional<PixelFormat> pixelFormat;  ///< nullopt: the source's own
    std::optional<BenchSize> size;           ///< nullopt: the source's own
    std::optional<Rational> fps;             ///< frame rate; nullopt: lossless, as fast as possible
    std::optional<std::uint64_t> frames;     ///< number of measured frames
    double seconds = 3;                      ///< if frames is nullopt
    std::uint32_t slots = 8;
    bool poll = false;
    bool readBack = false;
    bool device = false;   ///< both rings are in a GPU's memory
    bool input = false;    ///< the receiver sends input, the sender accepts it
    std::vector<int> pin;  ///< processors for sender and receiver, or empty
};

nlohmann::json toJson(const StagesJob& job);
StagesJob stagesJobFromJson(const nlohmann::json& json);

nlohmann::json stageToJson(const StageRun::Stage& stage);
StageRun::Stage stageFromJson(const nlohmann::json& json);
nlohmann::json percentilesToJson(const Percentiles& time);
Percentiles percentilesFromJson(const nlohmann::json& json);
nlohmann::json costToJson(const PartCost& cost);
PartCost costFromJson(const nlohmann::json& json);

/// "waves" for "scene:waves"; "" for "scene", which means the first one; nullopt if the source is no scene.
std::optional<std::string> sceneOf(const std::string& source);

}  // namespace verbcast
