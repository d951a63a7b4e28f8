// Sort-last compositing of translucent renderings: merges pictures with alpha into one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

/// One of the pictures.
struct AlphaPicture {
    const VideoFormat* format;
    const std::byte* payload;
};

/// Why pictures of this format cannot be merged, or nullopt. They must be rgba or bgra, whose fourth byte is
/// alpha.
std::optional<std::string> orderProblem(const VideoFormat& format);

/// Stacks the pictures, the first in front (Porter-Duff "over"). Colours are premultiplied by alpha, in the
/// input and the result. Going from front to back, each of the four bytes becomes front + back * (255 -
/// front's alpha) / 255, rounded to nearest and at most 255. All pictures (at least one) have the size and
/// pixel format of `merged`, which is tightly packed; depths are ignored. Reads each picture once and writes
/// the result once.
void mergeByOrder(std::span<const AlphaPicture> pictures, const VideoFormat& merged, std::byte* payload);

}  // namespace verbcast
