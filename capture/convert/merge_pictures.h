// Sort-last compositing: merges partial renderings into one picture.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

/// One of the renderings.
struct PartPicture {
    const VideoFormat* format;
    const std::byte* payload;
};

/// Why pictures of this format cannot be merged by depth, or nullopt. They need four bytes per pixel (rgba,
/// bgra) and depth.
std::optional<std::string> mergeProblem(const VideoFormat& format);

/// Why pictures of this format cannot be merged by order, or nullopt. They must be rgba or bgra, whose fourth
/// byte is alpha.
std::optional<std::string> orderProblem(const VideoFormat& format);

/// The format of the result for parts of this format: tightly packed, with or without depth.
VideoFormat mergedFormat(const VideoFormat& part, bool withDepth);

// Both read each part once and write the result once. All parts (at least one) have the size and pixel format
// of `merged`, which is a mergedFormat().

/// Takes the nearest of each pixel; of equally near ones the first picture's, as OpenGL does with GL_LESS. A
/// NaN depth never wins over a finite one.
void mergeByDepth(std::span<const PartPicture> parts, const VideoFormat& merged, std::byte* payload);

/// Stacks the parts, the first in front (Porter-Duff "over"). Colours are premultiplied by alpha, in the
/// input and the result. Going from front to back, each of the four bytes becomes front + back * (255 -
/// front's alpha) / 255, rounded to nearest and at most 255. Depths are ignored.
void mergeByOrder(std::span<const PartPicture> parts, const VideoFormat& merged, std::byte* payload);

}  // namespace verbcast
