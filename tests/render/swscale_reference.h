// FFmpeg's rendering of a picture, the reference for ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/video/video_format.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {

/// Three bytes of RGB per pixel from swscale's most accurate conversion: bilinear chroma at the format's
/// siting, all intermediate results in 16 bits, rounded to 8 at the end. The format must name the matrix.
std::vector<std::uint8_t> swscaleRgb(const VideoFormat& format, const CodePicture& picture);

/// The payload as FFmpeg writes it: by swscale, v210 by its encoder. Only tight formats of an even size;
/// 8-bit RGB or Y'CbCr codes.
std::vector<std::byte> ffmpegPacked(const VideoFormat& format, const CodePicture& picture);

/// The 10-bit R, G and B that swscale reads from the first pixel of an x2rgb10le payload.
std::array<unsigned, 3> swscaleFirstPixel(const VideoFormat& format, const std::vector<std::byte>& payload);

}  // namespace verbcast::testing
