// Works row by row, so that a row of the result stays in the L1 cache while all parts pass over it.
#include "capture/convert/merge_by_depth.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace verbcast {
namespace {

const std::byte* rowOf(const std::byte* payload, const Plane& plane, std::size_t row) {
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

}  // namespace

std::optional<std::string> mergeProblem(const VideoFormat& format) {
    if (!format.hasDepth()) {
        return "it brings no depths";
    }
    if (format.pixelFormat != PixelFormat::rgba && format.pixelFormat != PixelFormat::bgra) {
        return fmt::format("its pixel format is {}, and rgba or bgra is expected",
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

void mergeByDepth(std::span<const DepthPicture> parts, const VideoFormat& merged, std::byte* payload) {
    const std::size_t pixels = merged.width;
    const std::size_t colourBytes = pixels * sizeof(std::uint32_t);
    const std::size_t depthBytes = pixels * sizeof(float);
    // Parts may start at any byte of a slot, so the arithmetic runs on aligned copies.
    std::vector<std::uint32_t> colour(pixels), otherColour(pixels);
    std::vector<float> depth(pixels), otherDepth(pixels);
    for (std::size_t row = 0; row < merged.height; ++row) {
        const auto read = [row, colourBytes, depthBytes](const DepthPicture& part, std::uint32_t* colours,
                                                         float* depths) {
            std::memcpy(colours, rowOf(part.payload, part.format->planes[0], row), colourBytes);
            std::memcpy(depths, rowOf(part.payload, part.format->depth, row), depthBytes);
        };
        read(parts.front(), colour.data(), depth.data());
        replaceNotNumbers(depth.data(), pixels);
        for (const DepthPicture& part : parts.subspan(1)) {
            read(part, otherColour.data(), otherDepth.data());
            keepNearer(colour.data(), depth.data(), otherColour.data(), otherDepth.data(), pixels);
        }
        std::memcpy(payload + merged.planes[0].offset + row * merged.planes[0].stride, colour.data(),
                    colourBytes);
        if (merged.hasDepth()) {
            std::memcpy(payload + merged.depth.offset + row * merged.depth.stride, depth.data(), depthBytes);
        }
    }
}

}  // namespace verbcast
