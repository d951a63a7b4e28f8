// A wall: which display shows which part of a picture, and how; and who sends which part.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/video/frame_info.h"

namespace verbcast {

inline constexpr std::size_t kMaxDisplays = 256;
inline constexpr std::size_t kMaxSources = 64;
inline constexpr std::size_t kMaxDisplayNameBytes = 64;

/// A point on a display's screen: 0,0 is the top left corner, 1,1 the bottom right.
struct ScreenPoint {
    double x = 0, y = 0;
    friend bool operator==(const ScreenPoint&, const ScreenPoint&) = default;
};

/// Where the corners of the rotated picture go on the screen: top left, top right, bottom right, bottom left.
using ScreenCorners = std::array<ScreenPoint, 4>;
inline constexpr ScreenCorners kScreenCorners{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};

/// How many pixels at each side of the rectangle another display shows too. The two are faded so that their
/// light adds up to the picture's.
struct EdgeBlend {
    std::uint32_t left = 0, right = 0, top = 0, bottom = 0;
    double gamma = 2.2;  ///< of the displays: light = code ^ gamma
    bool any() const { return (left | right | top | bottom) != 0; }
    friend bool operator==(const EdgeBlend&, const EdgeBlend&) = default;
};

/// Maps codes from 0 to 1: black + (1 - black) * (gain * code) ^ (1 / gamma).
struct DisplayColour {
    std::array<double, 3> gain{1, 1, 1};  ///< red, green, blue
    double gamma = 1;
    double black = 0;
    friend bool operator==(const DisplayColour&, const DisplayColour&) = default;
};

/// A rectangle of the canvas, whose numbers are known to fit.
inline FrameRect frameRect(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    return {static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y), static_cast<std::uint16_t>(width),
            static_cast<std::uint16_t>(height)};
}

struct WallDisplay {
    std::string name;
    FrameRect rectangle;         ///< in pixels of the canvas
    std::uint16_t rotation = 0;  ///< clockwise rotation of the picture on the screen: 0, 90, 180, 270
    ScreenCorners corners = kScreenCorners;
    EdgeBlend blend{};
    DisplayColour colour{};

    bool warps() const { return corners != kScreenCorners; }
    friend bool operator==(const WallDisplay&, const WallDisplay&) = default;
};

/// A sender whose pictures are part of the canvas.
struct WallSource {
    std::string name;
    FrameRect rectangle;  ///< in pixels of the canvas; also the size of its pictures
    std::string url;      ///< where it listens; may be empty
    friend bool operator==(const WallSource&, const WallSource&) = default;
};

/// How pictures of another aspect ratio lie on the canvas.
enum class CanvasFit {
    Fit,      ///< whole, with black beside them
    Fill,     ///< over all of it, with what exceeds it cut off
    Stretch,  ///< whole and over all of it, out of proportion
};

struct Wall {
    std::uint32_t width = 0, height = 0;  ///< canvas: the size of the pictures that the wall is made for
    CanvasFit fit = CanvasFit::Fit;
    bool gaps = false;  ///< parts of the canvas may be on no display: behind bezels, or beside the wall
    std::vector<WallDisplay> displays;
    std::vector<WallSource> sources;  ///< none: one sender sends the whole canvas
    /// The source whose --sync times all displays, including those that show nothing of it; "": none.
    std::string conductor{};

    const WallDisplay* find(std::string_view name) const {
        const auto found = std::ranges::find(displays, name, &WallDisplay::name);
        return found != displays.end() ? &*found : nullptr;
    }
    const WallSource* findSource(std::string_view name) const {
        const auto found = std::ranges::find(sources, name, &WallSource::name);
        return found != sources.end() ? &*found : nullptr;
    }
    friend bool operator==(const Wall&, const Wall&) = default;
};

}  // namespace verbcast
