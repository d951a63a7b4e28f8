// Text as a picture, without a window.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/video/video_format.h"

namespace verbcast {

/// bgra, premultiplied by its alpha, rows from the top, tightly packed.
struct TextPicture {
    VideoFormat format;
    std::vector<std::byte> pixels;
};

/// Whether this build draws text.
bool hasText();

/// Light text on a dark, rounded plate; cut with an ellipsis where it is wider than `width`, which is at
/// least 64 pixels. `height`: of a line, in pixels. Lines are separated by '\n'. Throws Error{Resource} if
/// there is no font, or if this build has no Pango.
TextPicture textPicture(const std::string& text, int height, int width);

}  // namespace verbcast
