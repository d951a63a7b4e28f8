#include "app/bench/workers/stages/stages_job.h"

#include <limits>
#include <string_view>

namespace verbcast {

void to_json(nlohmann::json& json, const PartCost& cost) {
    json = {{"cpu", cost.cpuUs}, {"wall", cost.wallUs}};
}

void from_json(const nlohmann::json& json, PartCost& cost) {
    const auto number = [&](const char* key) {
        return json.at(key).is_null() ? std::numeric_limits<double>::quiet_NaN() : json.at(key).get<double>();
    };
    cost = {.cpuUs = number("cpu"), .wallUs = number("wall")};
}

std::optional<std::string> sceneOf(const std::string& source) {
    constexpr std::string_view kScene = "scene";
    if (source == kScene) {
        return "";
    }
    return source.starts_with("scene:") ? std::optional(source.substr(kScene.size() + 1)) : std::nullopt;
}

}  // namespace verbcast
