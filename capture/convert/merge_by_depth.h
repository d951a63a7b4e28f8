// Sort-last compositing: merges partial renderings into one picture.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

/// One of the renderings.
struct DepthPicture {
    const VideoFormat* format;
    const std::byte* payload;
};

/// Why pictures of this format cannot be merged, or nullopt. They need four bytes per pixel (rgba, bgra) and
/// depth.
std::optional<std::string> mergeProblem(const VideoFormat& format);

/// The format of the result for parts of this format: tightly packed, with or without depth.
VideoFormat mergedFormat(const VideoFormat& part, bool withDepth);

/// Takes the nearest of each pixel; of equally near ones the first picture's, as OpenGL does with GL_LESS. A
/// NaN depth never wins over a finite one. All parts (at least one) have the size and pixel format of
/// `merged`, which is a mergedFormat(). Reads each part once and writes the result once.
void mergeByDepth(std::span<const DepthPicture> parts, const VideoFormat& merged, std::byte* payload);

}  // namespace verbcast
