// Works row by row, so that a row of the result stays in the L1 cache while all pictures pass over it.
#include "capture/convert/merge_by_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace verbcast {
namespace {

constexpr std::size_t kBytesOfPixel = 4;
constexpr std::size_t kAlpha = 3;
constexpr std::uint32_t kOpaqueAlpha = 255;

/// value / 255, rounded to nearest, for values up to 255 * 255.
constexpr std::uint32_t dividedBy255(std::uint32_t value) {
    const std::uint32_t rounded = value + 128;
    return (rounded + (rounded >> 8)) >> 8;
}
static_assert(dividedBy255(127) == 0 && dividedBy255(128) == 1 && dividedBy255(255 * 255) == 255);

void putBehind(std::uint8_t* __restrict front, const std::uint8_t* __restrict back, std::size_t pixels) {
    for (std::size_t i = 0; i < pixels * kBytesOfPixel; i += kBytesOfPixel) {
        const std::uint32_t shown = kOpaqueAlpha - front[i + kAlpha];
        for (std::size_t k = 0; k < kBytesOfPixel; ++k) {
            front[i + k] = static_cast<std::uint8_t>(
                std::min(kOpaqueAlpha, front[i + k] + dividedBy255(back[i + k] * shown)));
        }
    }
}

}  // namespace

std::optional<std::string> orderProblem(const VideoFormat& format) {
    if (format.pixelFormat != PixelFormat::rgba && format.pixelFormat != PixelFormat::bgra) {
        return fmt::format("its pixel format is {}, which has no alpha: rgba or bgra is expected",
                           pixelFormatName(format.pixelFormat));
    }
    return std::nullopt;
}

void mergeByOrder(std::span<const AlphaPicture> pictures, const VideoFormat& merged, std::byte* payload) {
    const std::size_t rowBytes = merged.width * kBytesOfPixel;
    std::vector<std::uint8_t> whole(rowBytes);
    for (std::size_t row = 0; row < merged.height; ++row) {
        const auto rowOf = [row](const AlphaPicture& picture) {
            const Plane& plane = picture.format->planes[0];
            return reinterpret_cast<const std::uint8_t*>(picture.payload + plane.offset + row * plane.stride);
        };
        std::memcpy(whole.data(), rowOf(pictures.front()), rowBytes);
        for (const AlphaPicture& picture : pictures.subspan(1)) {
            putBehind(whole.data(), rowOf(picture), merged.width);
        }
        std::memcpy(payload + merged.planes[0].offset + row * merged.planes[0].stride, whole.data(),
                    rowBytes);
    }
}

}  // namespace verbcast
