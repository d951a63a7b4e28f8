// The pixel formats that Verbcast carries, all described here, by plane and group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace verbcast {

/// Names are FFmpeg's. The values travel on the wire: never renumber.
enum class PixelFormat : std::uint8_t {
    rgba = 1,
    bgra = 2,
    rgb24 = 3,
    x2rgb10le = 4,
    yuv420p = 5,
    nv12 = 6,
    yuv422p = 7,
    uyvy422 = 8,
    yuyv422 = 9,
    yuv444p = 10,
    yuv420p10le = 11,
    p010le = 12,
    yuv422p10le = 13,
    yuv444p10le = 14,
    gray = 15,
    v210 = 16,
};

/// Planes of a pixel format. VideoFormat's message has as many: with more of them, kProtocolVersion
/// increases.
inline constexpr std::size_t kMaxPlanes = 3;

/// One plane: the picture's size is shifted right (rounding up) and divided into groups of pixels of a few
/// bytes each. nv12's second plane: shifts 1 and 1, groups of 1 pixel in 2 bytes. v210: no shifts, 6 pixels
/// in 16 bytes.
struct PlaneLayout {
    std::uint8_t horizontalShift;
    std::uint8_t verticalShift;
    std::uint8_t bytesPerGroup;
    std::uint8_t pixelsPerGroup;
};

struct PixelFormatInfo {
    PixelFormat format;
    std::string_view name;
    std::uint8_t planeCount;
    std::uint8_t bitsPerComponent;  ///< significant bits: 8 or 10
    std::uint8_t chromaShiftX;      ///< log2 of horizontal chroma subsampling; 0 for RGB and gray
    std::uint8_t chromaShiftY;
    bool rgb;
    std::uint16_t rowAlignment;  ///< bytes of a tight row are rounded up to this: 128 for v210, else 1
    PlaneLayout planes[kMaxPlanes];
    std::string_view summary;  ///< one line for `verbcast formats`
};

std::span<const PixelFormatInfo> allPixelFormats();
const PixelFormatInfo& pixelFormatInfo(PixelFormat format);
inline bool hasAlpha(PixelFormat format) {
    return format == PixelFormat::rgba || format == PixelFormat::bgra;
}
std::string_view pixelFormatName(PixelFormat format);
/// "rgba, bgra, ...": all of them, for messages.
std::string pixelFormatNames();
/// By FFmpeg's name; nothing for unknown names.
std::optional<PixelFormat> pixelFormatByName(std::string_view name);
/// By wire value; nothing for unknown values.
std::optional<PixelFormat> pixelFormatFromWire(std::uint8_t value);

}  // namespace verbcast
