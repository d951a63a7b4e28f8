// Sort-last compositing of what is not opaque: pictures with alpha become one.
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

/// Why pictures of this format cannot be merged, or nothing: they are rgba or bgra, and the fourth byte is
/// alpha.
std::optional<std::string> orderProblem(const VideoFormat& format);

/// The pictures one behind the other, the first in front ("over" of Porter and Duff). Colours are
/// premultiplied by alpha, here and in the result: of all four bytes, front + back * (255 - front's alpha) /
/// 255, rounded to the nearest and at most 255, from the front to the back. All, at least one, have the size
/// and pixel format of `merged`, which is tightly packed; depths are not looked at. Copies: each picture is
/// read once, the whole is written once.
void mergeByOrder(std::span<const AlphaPicture> pictures, const VideoFormat& merged, std::byte* payload);

}  // namespace verbcast
