// Measures the difference of two pictures. No GL here.
#pragma once

#include <optional>

#include "render/stream_renderer.h"

namespace verbcast {

struct PictureError {
    double psnr = 0;  ///< dB, of the mean square over red, green and blue; infinite for equal pictures
    int largest = 0;  ///< largest difference of a component, of 255
};

/// Returns nullopt if the sizes differ or there are no pixels. Ignores alpha.
std::optional<PictureError> pictureError(const RgbaImage& first, const RgbaImage& second);

}  // namespace verbcast
