// Options of `verbcast render`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/send/sending_options.h"
#include "app/wall/wall.h"

namespace verbcast {

struct RenderOptions : SendingOptions {
    std::string scene;  ///< a name of kSceneNames
    std::uint32_t width = 1920, height = 1080;
    /// For a wall: `place` is the source's part of the canvas; width and height are the source's.
    std::optional<Wall> wall;
    FrameRect place{};
    /// Draws only this share of the scene, with depths: number (from 1) and count.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> part;
    std::string eye;  ///< draw for that eye: left, right; empty: one picture for both
};

}  // namespace verbcast
