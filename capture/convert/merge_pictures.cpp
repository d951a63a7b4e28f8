// Works row by row, so that a row of the result stays in the L1 cache while all parts pass over it.
#include "capture/convert/merge_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace verbcast {
namespace {

constexpr std::size_t kBytesOfPixel = 4;
constexpr std::size_t kAlpha = 3;
constexpr std::uint32_t kOpaqueAlpha = 255;

bool hasFourBytes(const VideoFormat& format) {
    return format.pixelFormat == PixelFormat::rgba || format.pixelFormat == PixelFormat::bgra;
}

template <typename Byte>
Byte* rowOf(Byte* payload, const Plane& plane, std::size_t row) {
    return payload + plane.offset + row * plane.stride;
}

/// Branch-free, so that compilers vectorize it.
void keepNearer(std::uint32_t* __restrict colour, float* __restrict depth,
                const std::uint32_t* __restrict otherColour, const float* __restrict otherDepth,
                std::size_t pixels) {
    for (std::size_t i = 0; i < pixels; ++i) {
        const bool nearer = otherDepth[i] < depth[i];
        colour[i] = nearer ? otherColour[i] : colour[i];
        depth[i] = nearer ? otherDepth[i] : depth[i];
    }
}

/// Replaces NaN by infinity, so that any finite depth is nearer.
void replaceNotNumbers(float* depth, std::size_t pixels) {
    for (std::size_t i = 0; i < pixels; ++i) {
        depth[i] = std::isnan(depth[i]) ? std::numeric_limits<float>::infinity() : depth[i];
    }
}

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

std::optional<std::string> mergeProblem(const VideoFormat& format) {
    if (!format.hasDepth()) {
        return "it brings no depths";
    }
    if (!hasFourBytes(format)) {
        return fmt::format("its pixel format is {}, and rgba or bgra is expected",
                           pixelFormatName(format.pixelFormat));
    }
    return std::nullopt;
}

std::optional<std::string> orderProblem(const VideoFormat& format) {
    if (!hasFourBytes(format)) {
        return fmt::format("its pixel format is {}, which has no alpha: rgba or bgra is expected",
                           pixelFormatName(format.pixelFormat));
    }
    return std::nullopt;
}

VideoFormat mergedFormat(const VideoFormat& part, bool withDepth) {
    VideoFormat merged = part;
    layOutPlanes(merged, 1, 1);
    if (withDepth) {
        addDepth(merged);
    }
    return merged;
}

void mergeByDepth(std::span<const PartPicture> parts, const VideoFormat& merged, std::byte* payload) {
    const std::size_t pixels = merged.width;
    const std::size_t colourBytes = pixels * kBytesOfPixel;
    const std::size_t depthBytes = pixels * sizeof(float);
    // Parts may start at any byte of a slot, so the arithmetic runs on aligned copies.
    std::vector<std::uint32_t> colour(pixels), otherColour(pixels);
    std::vector<float> depth(pixels), otherDepth(pixels);
    for (std::size_t row = 0; row < merged.height; ++row) {
        const auto read = [row, colourBytes, depthBytes](const PartPicture& part, std::uint32_t* colours,
                                                         float* depths) {
            std::memcpy(colours, rowOf(part.payload, part.format->planes[0], row), colourBytes);
            std::memcpy(depths, rowOf(part.payload, part.format->depth, row), depthBytes);
        };
        read(parts.front(), colour.data(), depth.data());
        replaceNotNumbers(depth.data(), pixels);
        for (const PartPicture& part : parts.subspan(1)) {
            read(part, otherColour.data(), otherDepth.data());
            keepNearer(colour.data(), depth.data(), otherColour.data(), otherDepth.data(), pixels);
        }
        std::memcpy(rowOf(payload, merged.planes[0], row), colour.data(), colourBytes);
        if (merged.hasDepth()) {
            std::memcpy(rowOf(payload, merged.depth, row), depth.data(), depthBytes);
        }
    }
}

void mergeByOrder(std::span<const PartPicture> parts, const VideoFormat& merged, std::byte* payload) {
    const std::size_t rowBytes = merged.width * kBytesOfPixel;
    std::vector<std::uint8_t> whole(rowBytes);
    for (std::size_t row = 0; row < merged.height; ++row) {
        std::memcpy(whole.data(), rowOf(parts.front().payload, parts.front().format->planes[0], row),
                    rowBytes);
        for (const PartPicture& part : parts.subspan(1)) {
            const std::byte* behind = rowOf(part.payload, part.format->planes[0], row);
            putBehind(whole.data(), reinterpret_cast<const std::uint8_t*>(behind), merged.width);
        }
        std::memcpy(rowOf(payload, merged.planes[0], row), whole.data(), rowBytes);
    }
}

}  // namespace verbcast
