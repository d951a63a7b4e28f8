// How a wall's display shows its part of a picture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/video/frame_info.h"

namespace verbcast {

struct TilePoint {
    double x = 0, y = 0;
};

/// A part of a picture on a display, in the picture's pixels; black is around it.
struct TileCrop {
    FrameRect part;                ///< of the picture; empty: nothing of it is shown
    double left = 0, top = 0;      ///< where it lies on the display
    double width = 0, height = 0;  ///< of the display

    /// A part that fills the display.
    static TileCrop all(const FrameRect& part) {
        return {part, 0, 0, static_cast<double>(part.width), static_cast<double>(part.height)};
    }
    bool isEmpty() const { return width <= 0 || height <= 0; }
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
    double pixelAspect = 1;  ///< how much wider than high the picture's pixels are shown
    // black + (1 - black) * (gain * code) ^ (1 / gamma)
    std::array<double, 3> gain{1, 1, 1};
    double gamma = 1;
    double black = 0;
};

}  // namespace verbcast
