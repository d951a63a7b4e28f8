// How a display of a wall shows its part of a picture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace verbcast {

struct TilePoint {
    double x = 0, y = 0;
};

struct TileLook {
    std::uint16_t rotation = 0;  ///< degrees clockwise: 0, 90, 180 or 270
    /// Where the corners go, in parts of the area from its top left corner: top left, top right, bottom
    /// right, bottom left, clockwise around a convex area. Without, the picture is as large as fits, in its
    /// shape.
    std::optional<std::array<TilePoint, 4>> corners{};
    /// In parts of the picture's width and height, before its rotation: how far it fades from each side.
    struct Fade {
        double left = 0, right = 0, top = 0, bottom = 0;
        double gamma = 2.2;  ///< of the display: what fades is light, which is code ^ gamma
    } fade{};
    // black + (1 - black) * (gain * code) ^ (1 / gamma)
    std::array<double, 3> gain{1, 1, 1};
    double gamma = 1;
    double black = 0;
};

}  // namespace verbcast
