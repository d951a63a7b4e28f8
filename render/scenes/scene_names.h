// The scenes of `verbcast render`. No GL here: the command line lists them too.
#pragma once

#include <array>
#include <string_view>

namespace verbcast {

struct SceneName {
    std::string_view name, summary;
};

/// The first is the default.
inline constexpr std::array<SceneName, 2> kSceneNames{
    {{"waves", "waves running through a field of pillars"},
     {"swarm", "boulders orbiting a light, each on its own path"}}};

}  // namespace verbcast
