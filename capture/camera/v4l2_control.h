// What every user of a Video4Linux2 device says in the same way.
#pragma once

#include <cstdint>
#include <optional>

#include "core/video/video_format.h"

struct v4l2_fract;

namespace verbcast {

/// ioctl(), again when a signal comes in between. Not 0: errno says why.
int v4l2Control(int fd, unsigned long request, void* argument);

/// The enum v4l2_buf_type of a capture device.
std::uint32_t v4l2CaptureType(bool multiplanar);

/// Frames per second of a time per frame; nothing for what is no time.
std::optional<Rational> rateOfInterval(v4l2_fract interval);

}  // namespace verbcast
