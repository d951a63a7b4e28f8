// A wall: which display shows what part of a picture, and how; and who sends which part of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/video/frame_info.h"

namespace verbcast {

inline constexpr std::size_t kMaxDisplays = 256;
inline constexpr std::size_t kMaxSources = 64;
inline constexpr std::size_t kMaxDisplayNameBytes = 64;

/// A place on a display's screen: 0,0 is its top left corner, 1,1 its bottom right one.
struct ScreenPoint {
    double x = 0, y = 0;
    friend bool operator==(const ScreenPoint&, const ScreenPoint&) = default;
};

/// Where the corners of the picture go on the screen, after its rotation: top left, top right, bottom right,
/// bottom left.
using ScreenCorners = std::array<ScreenPoint, 4>;
inline constexpr ScreenCorners kScreenCorners{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};

/// How many pixels of each side of the rectangle another display shows, too. The two fade into each other so
/// that their light adds up to the picture's.
struct EdgeBlend {
    std::uint32_t left = 0, right = 0, top = 0, bottom = 0;
    double gamma = 2.2;  ///< of the displays: light = code ^ gamma
    bool any() const { return (left | right | top | bottom) != 0; }
    friend bool operator==(const EdgeBlend&, const EdgeBlend&) = default;
};

/// What a display does to codes from 0 to 1: black + (1 - black) * (gain * code) ^ (1 / gamma).
struct DisplayColour {
    std::array<double, 3> gain{1, 1, 1};  ///< red, green, blue
    double gamma = 1;
    double black = 0;
    friend bool operator==(const DisplayColour&, const DisplayColour&) = default;
};

struct WallDisplay {
    std::string name;
    FrameRect rectangle;         ///< pixels of the canvas
    std::uint16_t rotation = 0;  ///< degrees clockwise by which the screen shows it turned: 0, 90, 180, 270
    ScreenCorners corners = kScreenCorners;
    EdgeBlend blend{};
    DisplayColour colour{};

    bool warps() const { return corners != kScreenCorners; }
    friend bool operator==(const WallDisplay&, const WallDisplay&) = default;
};

/// A sender whose pictures are a part of the canvas.
struct WallSource {
    std::string name;
    FrameRect rectangle;  ///< pixels of the canvas: the size of its pictures
    std::string url;      ///< where it listens; may be empty
    friend bool operator==(const WallSource&, const WallSource&) = default;
};

struct Wall {
    std::uint32_t width = 0, height = 0;  ///< of the canvas: the size of the pictures that it is made for
    bool gaps = false;  ///< parts of the canvas may be on no display: behind bezels, or beside the wall
    std::vector<WallDisplay> displays;
    std::vector<WallSource> sources;  ///< none: one sender sends the whole canvas

    const WallDisplay* find(std::string_view name) const {
        for (const WallDisplay& display : displays) {
            if (display.name == name) {
                return &display;
            }
        }
        return nullptr;
    }
    const WallSource* findSource(std::string_view name) const {
        for (const WallSource& source : sources) {
            if (source.name == name) {
                return &source;
            }
        }
        return nullptr;
    }
    friend bool operator==(const Wall&, const Wall&) = default;
};

}  // namespace verbcast
