#include "capture/screen/cursor_blend.h"

#include <algorithm>
#include <cstring>

namespace verbcast {
namespace {

/// The positions of the components in a 32-bit pixel.
struct PixelLayout {
    unsigned red, green, blue;  // shifts
    std::uint32_t highest;      // highest value of a component
    std::uint32_t fill;         // the bits that hold no colour
};

PixelLayout layoutOf(PixelFormat format) {
    switch (format) {
        case PixelFormat::x2rgb10le:
            return {20, 10, 0, 1023, 0xC0000000};
        case PixelFormat::rgba:
            return {0, 8, 16, 255, 0xFF000000};
        default:
            return {16, 8, 0, 255, 0xFF000000};
    }
}

std::uint32_t over(std::uint32_t source, std::uint32_t destination, std::uint32_t alpha,
                   std::uint32_t highest) {
    const std::uint32_t scaled = (source * highest + 127) / 255;
    return std::min(scaled + (destination * (255 - alpha) + 127) / 255, highest);
}

std::uint32_t blend(std::uint32_t argb, std::uint32_t below, const PixelLayout& layout) {
    const std::uint32_t alpha = argb >> 24;
    const auto component = [&](unsigned shiftInCursor, unsigned shift) {
        return over(argb >> shiftInCursor & 0xFF, below >> shift & layout.highest, alpha, layout.highest)
               << shift;
    };
    return layout.fill | component(16, layout.red) | component(8, layout.green) | component(0, layout.blue);
}

}  // namespace

void blendCursor(std::span<const std::uint32_t> argb, const Rectangle& place, const Rectangle& picture,
                 const Rectangle& clip, const VideoFormat& format, std::byte* payload) {
    const PixelLayout layout = layoutOf(format.pixelFormat);
    const Rectangle seen = intersection(place, clip);
    for (int y = seen.y; y < seen.bottom(); ++y) {
        const auto cursorRow = static_cast<std::size_t>(y - place.y) * static_cast<std::size_t>(place.width);
        std::byte* row = payload + static_cast<std::size_t>(y - picture.y) * format.planes[0].stride;
        for (int x = seen.x; x < seen.right(); ++x) {
            const std::uint32_t source = argb[cursorRow + static_cast<std::size_t>(x - place.x)];
            if (source == 0) {
                continue;
            }
            std::byte* pixel = row + static_cast<std::size_t>(x - picture.x) * sizeof source;
            std::uint32_t value = 0;
            std::memcpy(&value, pixel, sizeof value);
            value = blend(source, value, layout);
            std::memcpy(pixel, &value, sizeof value);
        }
    }
}

}  // namespace verbcast
