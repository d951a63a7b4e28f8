// Helpers shared by all users of Video4Linux2 devices.
#pragma once

#include <cstdint>
#include <optional>

#include "core/video/video_format.h"

struct v4l2_fract;

namespace verbcast {

/// ioctl() that retries when interrupted by a signal. Not 0: see errno.
int v4l2Control(int fd, unsigned long request, void* argument);

/// The enum v4l2_buf_type of a capture device.
std::uint32_t v4l2CaptureType(bool multiplanar);

/// Converts a frame interval to frames per second; nullopt if it is not a valid interval.
std::optional<Rational> rateOfInterval(v4l2_fract interval);

}  // namespace verbcast
