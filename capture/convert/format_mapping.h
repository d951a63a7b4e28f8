// Maps FFmpeg's pixel formats and colour fields to ours.
#pragma once

extern "C" {
#include <libavcodec/codec_par.h>
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>
#include <libavutil/rational.h>
}

#include <optional>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

inline AVRational toAv(Rational value) {
    return {value.numerator, value.denominator};
}

/// FFmpeg's format with the same bytes; AV_PIX_FMT_NONE for v210, which FFmpeg treats as a codec.
AVPixelFormat avPixelFormat(PixelFormat format);

/// The format in which FFmpeg's containers and encoders hold the same values: they have none of the bytes of
/// p010le and x2rgb10le. See PicturePacker::packStored().
AVPixelFormat storedPixelFormat(PixelFormat format);

/// Our format with the same bytes, or nullopt. yuvj420p maps to yuv420p: the range is part of Colour.
std::optional<PixelFormat> directPixelFormat(AVPixelFormat format);

/// Our format that loses least.
struct NearestFormat {
    PixelFormat format;
    std::string loss;  ///< empty, or what is lost: "2 bits of depth are lost"
};
/// Keeps depth and chroma resolution if one of our formats can. Returns nullopt for formats without pixels in
/// memory (hardware surfaces).
std::optional<NearestFormat> nearestPixelFormat(AVPixelFormat format);

/// FFmpeg's name for an AVPixelFormat, or "unknown".
std::string avPixelFormatName(int format);

/// The picture's colour fields. RGB is always matrix 0 and full range; gray without a range is full range, as
/// for FFmpeg.
Colour colourOf(const AVFrame& picture, AVPixelFormat format);

/// Unknown counts as progressive. As FFmpeg's demuxers and decoders take it: the first letter of AV_FIELD_TB
/// is the field that was taken first.
FieldOrder fieldOrderFrom(AVFieldOrder order);
/// Of frames that hold the rows of both fields in turn.
AVFieldOrder toAv(FieldOrder order);

/// The matrix that `colour` names; if it names none, BT.709 for HD and BT.601 below.
int conversionMatrix(const Colour& colour, std::uint32_t height);

}  // namespace verbcast
