// Options of `verbcast render`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/commands/send/sending_options.h"
#include "app/wall/wall.h"

namespace verbcast {

struct RenderOptions : SendingOptions {
    std::string scene;  ///< a name of kSceneNames
    PictureSize size{1920, 1080};
    /// For a wall: `place` is the source's part of the canvas; the size is the source's.
    std::optional<Wall> wall;
    FrameRect place{};
    /// Draws only this share of the scene, with depths: number (from 1) and count.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> part;
    std::string eye;  ///< draw for that eye: left, right; empty: one picture for both
};

}  // namespace verbcast
