// Two pictures compared, in numbers. No GL here.
#pragma once

#include <optional>

#include "render/stream_renderer.h"

namespace verbcast {

struct PictureError {
    double psnr = 0;  ///< dB, of the mean square over red, green and blue; infinite for equal pictures
    int largest = 0;  ///< difference of a component, of 255
};

/// Nothing for pictures of two sizes, or without pixels. Alpha is left out.
std::optional<PictureError> pictureError(const RgbaImage& first, const RgbaImage& second);

}  // namespace verbcast
