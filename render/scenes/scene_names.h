// The scenes of `verbcast render`. No GL here: the command line lists them too.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace verbcast {

struct SceneName {
    std::string_view name, summary;
};

/// The first is the default.
inline constexpr std::array<SceneName, 2> kSceneNames{
    {{"waves", "a field of pillars that waves run through"},
     {"swarm", "boulders in orbit around a light, each on a path of its own"}}};

inline bool isSceneName(std::string_view name) {
    return std::any_of(kSceneNames.begin(), kSceneNames.end(),
                       [name](const SceneName& scene) { return scene.name == name; });
}

}  // namespace verbcast
