// How a wall's display shows its part of a picture.
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
    /// Where the corners go, as fractions of the area from its top left corner: top left, top right, bottom
    /// right, bottom left, clockwise around a convex area. Unset: as large as fits, undistorted.
    std::optional<std::array<TilePoint, 4>> corners{};
    /// How far the picture fades from each side, as fractions of its width and height before rotation.
    struct Fade {
        double left = 0, right = 0, top = 0, bottom = 0;
        double gamma = 2.2;  ///< the display's: the fade applies to light, which is code ^ gamma
    } fade{};
    // black + (1 - black) * (gain * code) ^ (1 / gamma)
    std::array<double, 3> gain{1, 1, 1};
    double gamma = 1;
    double black = 0;
};

}  // namespace verbcast
