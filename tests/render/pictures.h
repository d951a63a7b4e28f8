// Test pictures: code values in planes, and their packing into each pixel format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/video/video_format.h"

namespace verbcast::testing {

/// Code values of up to three components, each plane with its own size. RGB pictures hold R, G, B; gray holds
/// one.
struct CodePlane {
    std::uint32_t width = 0, height = 0;
    std::vector<std::uint16_t> codes;
    std::uint16_t at(std::uint32_t x, std::uint32_t y) const { return codes[std::size_t{y} * width + x]; }
};
struct CodePicture {
    std::vector<CodePlane> planes;
};

/// Noise over all codes: the hardest case for interpolation and clipping.
CodePicture noisePicture(const VideoFormat& format, std::uint32_t seed = 1);
/// Components that rise by two 8-bit steps per pixel, without clipping up to 32x32: the first and second to
/// the right, the third downwards.
CodePicture rampPicture(const VideoFormat& format);
/// One colour.
CodePicture flatPicture(const VideoFormat& format, std::uint16_t first, std::uint16_t second,
                        std::uint16_t third);

/// The payload of `format` (with its strides and offsets) for these codes; padding is noise.
std::vector<std::byte> packPicture(const VideoFormat& format, const CodePicture& picture);

}  // namespace verbcast::testing
