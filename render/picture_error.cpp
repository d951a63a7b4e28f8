#include "render/picture_error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace verbcast {

std::optional<PictureError> pictureError(const RgbaImage& first, const RgbaImage& second) {
    if (first.width != second.width || first.height != second.height || first.pixels.empty()) {
        return std::nullopt;
    }
    int largest = 0;
    std::uint64_t squares = 0;
    for (std::size_t i = 0; i < first.pixels.size(); i += 4) {
        int ofPixel = 0;  // at most 3 * 255 * 255
        for (std::size_t component = 0; component < 3; ++component) {
            const int difference = std::abs(first.pixels[i + component] - second.pixels[i + component]);
            largest = std::max(largest, difference);
            ofPixel += difference * difference;
        }
        squares += static_cast<std::uint64_t>(ofPixel);
    }
    const double components = static_cast<double>(first.pixels.size()) / 4 * 3;
    const double meanSquare = static_cast<double>(squares) / components;
    const double psnr =
        squares == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(255.0 * 255.0 / meanSquare);
    return PictureError{.psnr = psnr, .largest = largest};
}

}  // namespace verbcast
