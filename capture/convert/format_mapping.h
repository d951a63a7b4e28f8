// FFmpeg's pixel formats and colour fields in our terms.
#pragma once

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>
}

#include <optional>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

/// The FFmpeg format with the same bytes; AV_PIX_FMT_NONE for v210, which is a codec there.
AVPixelFormat avPixelFormat(PixelFormat format);

/// The listed format with the same bytes (yuvj420p is yuv420p here: the range is part of Colour), or nothing.
std::optional<PixelFormat> directPixelFormat(AVPixelFormat format);

/// Listed format that keeps most of another one.
struct NearestFormat {
    PixelFormat format;
    std::string loss;  ///< empty, or what it cannot keep: "2 bits of depth are lost"
};
/// Keeps depth and chroma resolution where a listed format can. Nothing for formats without pixels in memory
/// (hardware surfaces).
std::optional<NearestFormat> nearestPixelFormat(AVPixelFormat format);

/// FFmpeg's name, "unknown" for none.
std::string avPixelFormatName(AVPixelFormat format);

/// What the picture says about its colour. RGB is always matrix 0 and full range; gray without a range is
/// full range, as FFmpeg reads it.
Colour colourOf(const AVFrame& picture);

/// BT.709 for high definition and BT.601 below when nothing is said; else the matrix that is named.
int conversionMatrix(const Colour& colour, std::uint32_t height);

}  // namespace verbcast
