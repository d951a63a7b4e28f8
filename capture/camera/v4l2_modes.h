// Lists the modes of a Video4Linux2 device.
#pragma once

#include <vector>

#include "capture/camera/camera_mode.h"

namespace verbcast {

/// All formats in the device's own order, each in every size that we can send, with the rates at that size.
/// Unusable formats are listed once, without sizes.
std::vector<CameraMode> v4l2Modes(int fd, bool multiplanar);

}  // namespace verbcast
