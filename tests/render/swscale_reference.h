// What FFmpeg makes of a picture, as the reference for ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/video/video_format.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {

/// RGB, three bytes a pixel, of swscale's most accurate conversion: bilinear chroma at the format's siting,
/// all intermediate results in 16 bits, rounded to 8 at the end. The matrix must be named in the format.
std::vector<std::uint8_t> swscaleRgb(const VideoFormat& format, const CodePicture& picture);

/// The payload as FFmpeg writes it: by swscale, v210 by its encoder. Tight formats of an even size; 8-bit RGB
/// or Y'CbCr.
std::vector<std::byte> ffmpegPacked(const VideoFormat& format, const CodePicture& picture);

/// 10-bit R, G and B that swscale reads from the first pixel of an x2rgb10le payload.
std::array<unsigned, 3> swscaleFirstPixel(const VideoFormat& format, const std::vector<std::byte>& payload);

}  // namespace verbcast::testing
