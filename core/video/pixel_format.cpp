#include "core/video/pixel_format.h"

#include <algorithm>
#include <array>

namespace verbcast {
namespace {

using enum PixelFormat;

/// All components in one plane, in groups of `pixels` pixels.
constexpr PixelFormatInfo packed(PixelFormat format, std::string_view name, std::uint8_t bits, bool rgb,
                                 std::uint8_t bytesPerGroup, std::uint8_t pixels, std::string_view summary) {
    return {.format = format,
            .name = name,
            .planeCount = 1,
            .bitsPerComponent = bits,
            .chromaShiftX = static_cast<std::uint8_t>(pixels > 1 ? 1 : 0),
            .chromaShiftY = 0,
            .rgb = rgb,
            .rowAlignment = static_cast<std::uint16_t>(format == v210 ? 128 : 1),
            .planes = {{0, 0, bytesPerGroup, pixels}},
            .summary = summary};
}

/// Luma in a plane of its own; chroma in two, or, `together`, in one.
constexpr PixelFormatInfo planar(PixelFormat format, std::string_view name, std::uint8_t bits,
                                 std::uint8_t shiftX, std::uint8_t shiftY, bool together,
                                 std::string_view summary) {
    const auto bytes = static_cast<std::uint8_t>(bits > 8 ? 2 : 1);
    const PlaneLayout chroma{shiftX, shiftY, static_cast<std::uint8_t>(together ? 2 * bytes : bytes), 1};
    return {.format = format,
            .name = name,
            .planeCount = static_cast<std::uint8_t>(together ? 2 : 3),
            .bitsPerComponent = bits,
            .chromaShiftX = shiftX,
            .chromaShiftY = shiftY,
            .rgb = false,
            .rowAlignment = 1,
            .planes = {{0, 0, bytes, 1}, chroma, together ? PlaneLayout{} : chroma},
            .summary = summary};
}

constexpr std::array<PixelFormatInfo, 16> kFormats{{
    packed(rgba, "rgba", 8, true, 4, 1, "packed RGB with alpha, 8 bits"),
    packed(bgra, "bgra", 8, true, 4, 1, "packed BGR with alpha, 8 bits"),
    packed(rgb24, "rgb24", 8, true, 3, 1, "packed RGB, 8 bits"),
    packed(x2rgb10le, "x2rgb10le", 10, true, 4, 1, "packed RGB, 10 bits in a 32-bit word"),
    planar(yuv420p, "yuv420p", 8, 1, 1, false, "planar 4:2:0, 8 bits"),
    planar(nv12, "nv12", 8, 1, 1, true, "semi-planar 4:2:0, 8 bits"),
    planar(yuv422p, "yuv422p", 8, 1, 0, false, "planar 4:2:2, 8 bits"),
    packed(uyvy422, "uyvy422", 8, false, 4, 2, "packed 4:2:2, Cb Y Cr Y, 8 bits"),
    packed(yuyv422, "yuyv422", 8, false, 4, 2, "packed 4:2:2, Y Cb Y Cr, 8 bits"),
    planar(yuv444p, "yuv444p", 8, 0, 0, false, "planar 4:4:4, 8 bits"),
    planar(yuv420p10le, "yuv420p10le", 10, 1, 1, false, "planar 4:2:0, 10 bits in the low bits of 16"),
    planar(p010le, "p010le", 10, 1, 1, true, "semi-planar 4:2:0, 10 bits in the high bits of 16"),
    planar(yuv422p10le, "yuv422p10le", 10, 1, 0, false, "planar 4:2:2, 10 bits in the low bits of 16"),
    planar(yuv444p10le, "yuv444p10le", 10, 0, 0, false, "planar 4:4:4, 10 bits in the low bits of 16"),
    packed(gray, "gray", 8, false, 1, 1, "luma only, 8 bits"),
    packed(v210, "v210", 10, false, 16, 6, "packed 4:2:2, 10 bits, 6 pixels in 16 bytes (SDI)"),
}};

static_assert(std::ranges::all_of(kFormats,
                                  [](const PixelFormatInfo& info) {
                                      return &info == &kFormats[static_cast<std::size_t>(info.format) - 1];
                                  }),
              "pixelFormatInfo() looks formats up by their wire value");

}  // namespace

std::span<const PixelFormatInfo> allPixelFormats() {
    return kFormats;
}

const PixelFormatInfo& pixelFormatInfo(PixelFormat format) {
    return kFormats.at(static_cast<std::size_t>(format) - 1);
}

std::string_view pixelFormatName(PixelFormat format) {
    return pixelFormatInfo(format).name;
}

std::string pixelFormatNames() {
    std::string names;
    for (const PixelFormatInfo& info : kFormats) {
        names += (names.empty() ? "" : ", ") + std::string(info.name);
    }
    return names;
}

std::optional<PixelFormat> pixelFormatByName(std::string_view name) {
    const auto* const info = std::ranges::find(kFormats, name, &PixelFormatInfo::name);
    return info == kFormats.end() ? std::nullopt : std::optional(info->format);
}

std::optional<PixelFormat> pixelFormatFromWire(std::uint8_t value) {
    return value < 1 || value > kFormats.size() ? std::nullopt : std::optional(PixelFormat{value});
}

}  // namespace verbcast
