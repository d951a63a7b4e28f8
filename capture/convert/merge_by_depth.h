// Sort-last compositing: partial renderings of one picture become the whole.
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

/// Why pictures of this format cannot be merged, or nothing: they have four bytes a pixel (rgba, bgra) and
/// depth.
std::optional<std::string> mergeProblem(const VideoFormat& format);

/// What the whole of parts of this format looks like: tightly packed, with depth or without.
VideoFormat mergedFormat(const VideoFormat& part, bool withDepth);

/// Of each pixel the nearest; of equally near ones that of the first picture, as OpenGL draws with GL_LESS. A
/// depth that is no number is never the nearest. All parts, at least one, have the size and pixel format of
/// `merged`, which is a mergedFormat(). Copies: each part is read once, the whole is written once.
void mergeByDepth(std::span<const DepthPicture> parts, const VideoFormat& merged, std::byte* payload);

}  // namespace verbcast
