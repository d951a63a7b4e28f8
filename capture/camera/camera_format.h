// Maps Video4Linux's pixel formats, layouts and colours to ours. Needs no camera.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

/// Our format with the same bytes as a V4L2_PIX_FMT_*; nullopt for compressed and unknown ones. YV12 maps to
/// yuv420p with its chroma planes swapped.
std::optional<PixelFormat> cameraPixelFormat(std::uint32_t fourCc);

/// Whether FFmpeg has to decode it: MJPEG, JPEG, H.264, HEVC.
bool isCompressed(std::uint32_t fourCc);

/// "YUYV"; unprintable characters become dots.
std::string fourCcText(std::uint32_t fourCc);

/// A driver's description of its pictures: the fields of v4l2_pix_format, with its values.
struct CameraPicture {
    std::uint32_t fourCc = 0;
    std::uint32_t width = 0, height = 0;
    std::uint32_t bytesPerLine = 0;  ///< of the first plane; 0: rows without padding
    std::uint64_t imageBytes = 0;    ///< size of a buffer
    std::uint32_t field = 0;         ///< V4L2_FIELD_*
    std::uint32_t colorspace = 0, encoding = 0, quantization = 0, transfer = 0;
    friend bool operator==(const CameraPicture&, const CameraPicture&) = default;
};

/// The format of a picture as stored in a buffer; the time base is a microsecond. Throws Error{Device} if the
/// driver's figures are inconsistent, or the pixel format or size cannot be sent.
VideoFormat cameraVideoFormat(const CameraPicture& picture, const std::optional<Rational>& rate);

/// "pictures are interlaced, ..."; nullopt for whole, progressive pictures.
std::optional<std::string> fieldNote(std::uint32_t field);

}  // namespace verbcast
