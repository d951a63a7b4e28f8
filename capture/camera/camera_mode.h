// A camera's modes, and the choice of the one that best matches a wish. Needs no camera.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/camera/camera_format.h"
#include "core/video/video_format.h"

namespace verbcast {

/// One size, or a range from the smallest to the largest in steps.
struct CameraSizes {
    std::uint32_t minWidth = 0, minHeight = 0;
    std::uint32_t maxWidth = 0, maxHeight = 0;
    std::uint32_t stepWidth = 1, stepHeight = 1;

    static CameraSizes single(std::uint32_t width, std::uint32_t height) {
        return {width, height, width, height, 1, 1};
    }
    bool isRange() const { return minWidth != maxWidth || minHeight != maxHeight; }
};

/// A pixel format at a size, with the frame rates that the camera offers for it.
struct CameraMode {
    std::uint32_t fourCc = 0;                ///< V4L2_PIX_FMT_*
    std::optional<PixelFormat> pixelFormat;  ///< nullopt: compressed, or we have no such format
    CameraSizes sizes;
    std::vector<Rational> rates;  ///< frames per second; empty: the driver does not list them
    bool rateRange = false;       ///< `rates` holds the slowest and fastest of a range

    bool isUsable() const { return pixelFormat || isCompressed(fourCc); }
};

/// What the user asked for; any of it may be left open.
struct CameraWish {
    std::optional<std::uint32_t> width{}, height{};
    std::optional<Rational> rate{};
    std::optional<PixelFormat> pixelFormat{};
    std::optional<std::uint32_t> fourCc{};  ///< set after a reconnect: the mode that the camera had
};

struct CameraChoice {
    std::uint32_t fourCc = 0;
    std::optional<PixelFormat> pixelFormat;  ///< nullopt: compressed, the decoder decides
    std::uint32_t width = 0, height = 0;
    std::optional<Rational> rate;    ///< nullopt: the driver does not tell
    std::vector<std::string> notes;  ///< unmet wishes with what is offered instead; compression
};

/// Chooses the closest mode: first by pixel format, then by size, then by rate. What the wish leaves open
/// becomes the largest size that reaches 30 frames per second (or the fastest), at its highest rate, in the
/// format that the camera lists first. A compressed mode is chosen only if no other comes as close; it counts
/// as yuv420p and yuv422p, to which such pictures usually decode. Throws Error{Device} if no mode can be
/// sent.
CameraChoice chooseCameraMode(std::span<const CameraMode> modes, const CameraWish& wish);

/// One line per pixel format: "YUYV as yuyv422: 640x480 (15, 30 fps), 1920x1080 (5 fps)", "MJPG (decoded):
/// ...". A last line names the formats that cannot be sent, if any.
std::vector<std::string> describeCameraModes(std::span<const CameraMode> modes);

}  // namespace verbcast
