// Formats of pictures in the C interface and in the core.
#pragma once

#include <cstddef>

#include "core/api/common.h"
#include "core/api/sized_struct.h"
#include "core/memory/frame_pool.h"
#include "core/video/video_format.h"

namespace verbcast {

template <>
inline constexpr SizedStruct kSizedStruct<vc_video_format>{"vc_video_format",
                                                           offsetof(vc_video_format, frame_rate)};

/// Throws Error{Usage} for what cannot be.
VideoFormat formatFrom(const vc_video_format& given);
/// What a receiver gets.
vc_video_format formatFrom(const VideoFormat& format);

/// Where the processor finds what is in that slot; of a GPU's memory, where the GPU does.
std::byte* addressOf(const FrameLease& lease);

/// Tells where the planes of a vc_frame or a vc_slot lie, whose memory begins at `data`; null: out of
/// the processor's reach.
template <typename Told, typename Byte>
void fillPlanes(Told& told, Byte* data, const VideoFormat& format) {
    told.plane_count = pixelFormatInfo(format.pixelFormat).planeCount;
    for (std::size_t plane = 0; plane < told.plane_count; ++plane) {
        told.planes[plane] = data != nullptr ? data + format.planes[plane].offset : nullptr;
        told.strides[plane] = format.planes[plane].stride;
        told.row_bytes[plane] = tightRowBytes(format, plane);
        told.rows[plane] = planeRows(format, plane);
    }
}

/// A time stamp in nanoseconds; saturates.
std::int64_t nanosecondsOf(std::int64_t stamp, const Rational& timeBase);

}  // namespace verbcast
