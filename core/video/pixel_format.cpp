#include "core/video/pixel_format.h"

#include <array>

namespace verbcast {
namespace {

using enum PixelFormat;

// format, name, planes, bits, chroma shifts, rgb, row alignment, plane layouts, summary
constexpr std::array<PixelFormatInfo, 16> kFormats{{
    {rgba, "rgba", 1, 8, 0, 0, true, 1, {{0, 0, 4, 1}}, "packed RGB with alpha, 8 bits"},
    {bgra, "bgra", 1, 8, 0, 0, true, 1, {{0, 0, 4, 1}}, "packed BGR with alpha, 8 bits"},
    {rgb24, "rgb24", 1, 8, 0, 0, true, 1, {{0, 0, 3, 1}}, "packed RGB, 8 bits"},
    {x2rgb10le, "x2rgb10le", 1, 10, 0, 0, true, 1, {{0, 0, 4, 1}}, "packed RGB, 10 bits in a 32-bit word"},
    {yuv420p,
     "yuv420p",
     3,
     8,
     1,
     1,
     false,
     1,
     {{0, 0, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}},
     "planar 4:2:0, 8 bits"},
    {nv12, "nv12", 2, 8, 1, 1, false, 1, {{0, 0, 1, 1}, {1, 1, 2, 1}}, "semi-planar 4:2:0, 8 bits"},
    {yuv422p,
     "yuv422p",
     3,
     8,
     1,
     0,
     false,
     1,
     {{0, 0, 1, 1}, {1, 0, 1, 1}, {1, 0, 1, 1}},
     "planar 4:2:2, 8 bits"},
    {uyvy422, "uyvy422", 1, 8, 1, 0, false, 1, {{0, 0, 4, 2}}, "packed 4:2:2, Cb Y Cr Y, 8 bits"},
    {yuyv422, "yuyv422", 1, 8, 1, 0, false, 1, {{0, 0, 4, 2}}, "packed 4:2:2, Y Cb Y Cr, 8 bits"},
    {yuv444p,
     "yuv444p",
     3,
     8,
     0,
     0,
     false,
     1,
     {{0, 0, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}},
     "planar 4:4:4, 8 bits"},
    {yuv420p10le,
     "yuv420p10le",
     3,
     10,
     1,
     1,
     false,
     1,
     {{0, 0, 2, 1}, {1, 1, 2, 1}, {1, 1, 2, 1}},
     "planar 4:2:0, 10 bits in the low bits of 16"},
    {p010le,
     "p010le",
     2,
     10,
     1,
     1,
     false,
     1,
     {{0, 0, 2, 1}, {1, 1, 4, 1}},
     "semi-planar 4:2:0, 10 bits in the high bits of 16"},
    {yuv422p10le,
     "yuv422p10le",
     3,
     10,
     1,
     0,
     false,
     1,
     {{0, 0, 2, 1}, {1, 0, 2, 1}, {1, 0, 2, 1}},
     "planar 4:2:2, 10 bits in the low bits of 16"},
    {yuv444p10le,
     "yuv444p10le",
     3,
     10,
     0,
     0,
     false,
     1,
     {{0, 0, 2, 1}, {0, 0, 2, 1}, {0, 0, 2, 1}},
     "planar 4:4:4, 10 bits in the low bits of 16"},
    {gray, "gray", 1, 8, 0, 0, false, 1, {{0, 0, 1, 1}}, "luma only, 8 bits"},
    {v210,
     "v210",
     1,
     10,
     1,
     0,
     false,
     128,
     {{0, 0, 16, 6}},
     "packed 4:2:2, 10 bits, 6 pixels in 16 bytes (SDI)"},
}};

constexpr bool indexedByWireValue() {
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
        if (static_cast<std::size_t>(kFormats[i].format) != i + 1) {
            return false;
        }
    }
    return true;
}
static_assert(indexedByWireValue(), "pixelFormatInfo() looks formats up by their wire value");

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
    for (const auto& info : kFormats) {
        if (info.name == name) {
            return info.format;
        }
    }
    return std::nullopt;
}

std::optional<PixelFormat> pixelFormatFromWire(std::uint8_t value) {
    if (value < 1 || value > kFormats.size()) {
        return std::nullopt;
    }
    return static_cast<PixelFormat>(value);
}

}  // namespace verbcast
