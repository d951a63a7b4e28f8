// Draws the pointer into a picture of the screen, because the server leaves it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "capture/screen/rectangle.h"
#include "core/video/video_format.h"

namespace verbcast {

/// `argb` holds place.width x place.height pixels with 8 bits per component and premultiplied alpha. Blends
/// source over destination, rounded to nearest, inside `clip` only. All rectangles use the same coordinates;
/// `picture`, which contains `clip`, has the format's size. The format is bgra, rgba or x2rgb10le.
void blendCursor(std::span<const std::uint32_t> argb, const Rectangle& place, const Rectangle& picture,
                 const Rectangle& clip, const VideoFormat& format, std::byte* payload);

}  // namespace verbcast
