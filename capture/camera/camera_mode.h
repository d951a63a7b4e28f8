// What a camera offers, and which of it suits what was asked for. Needs no camera.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/camera/camera_format.h"
#include "core/video/video_format.h"

namespace verbcast {

/// One size, or all from the least to the largest in steps.
struct CameraSizes {
    std::uint32_t minWidth = 0, minHeight = 0;
    std::uint32_t maxWidth = 0, maxHeight = 0;
    std::uint32_t stepWidth = 1, stepHeight = 1;

    static CameraSizes single(std::uint32_t width, std::uint32_t height) {
        return {width, height, width, height, 1, 1};
    }
    bool isRange() const { return minWidth != maxWidth || minHeight != maxHeight; }
};

/// A pixel format at a size, with the rates that the camera has for it.
struct CameraMode {
    std::uint32_t fourCc = 0;                ///< V4L2_PIX_FMT_*
    std::optional<PixelFormat> pixelFormat;  ///< nothing: compressed, or no listed format has these bytes
    CameraSizes sizes;
    std::vector<Rational> rates;  ///< frames per second; empty: the driver does not tell
    bool rateRange = false;       ///< `rates` are the slowest and the fastest of a range

    bool isUsable() const { return pixelFormat || isCompressed(fourCc); }
};

/// What was asked for; all of it may be open.
struct CameraWish {
    std::optional<std::uint32_t> width{}, height{};
    std::optional<Rational> rate{};
    std::optional<PixelFormat> pixelFormat{};
    std::optional<std::uint32_t> fourCc{};  ///< of a camera that comes back: the mode that it had
};

struct CameraChoice {
    std::uint32_t fourCc = 0;
    std::optional<PixelFormat> pixelFormat;  ///< nothing: compressed, its decoder decides
    std::uint32_t width = 0, height = 0;
    std::optional<Rational> rate;    ///< nothing: the driver does not tell
    std::vector<std::string> notes;  ///< what was asked for and is not offered, with what is; compression
};

/// The mode that comes closest: first in pixel format, then in size, then in rate. What was left open becomes
/// the largest size that reaches 30 frames per second (else the fastest), at its highest rate, in the format
/// that the camera lists first. A compressed mode is taken where no other comes as close, and counts as
/// yuv420p and yuv422p, which such pictures mostly are. Throws Error{Device} when no mode can be sent.
CameraChoice chooseCameraMode(std::span<const CameraMode> modes, const CameraWish& wish);

/// A line for each pixel format: "YUYV as yuyv422: 640x480 (15, 30 fps), 1920x1080 (5 fps)", "MJPG (decoded):
/// ...". The last line names the formats that cannot be sent, when there are some.
std::vector<std::string> describeCameraModes(std::span<const CameraMode> modes);

}  // namespace verbcast
