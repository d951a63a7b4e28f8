// Formats of pictures in the C interface and in the core.
#pragma once

#include <cstddef>

#include "core/api/common.h"
#include "core/api/sized_struct.h"
#include "core/video/video_format.h"

namespace verbcast {

template <>
inline constexpr SizedStruct kSizedStruct<vc_video_format>{"vc_video_format",
                                                           offsetof(vc_video_format, frame_rate)};

/// Throws Error{Usage} for what cannot be.
VideoFormat formatFrom(const vc_video_format& given);
/// What a receiver gets.
vc_video_format formatFrom(const VideoFormat& format);

/// A time stamp in nanoseconds; saturates.
std::int64_t nanosecondsOf(std::int64_t stamp, const Rational& timeBase);

}  // namespace verbcast
