// What a Video4Linux2 device offers.
#pragma once

#include <vector>

#include "capture/camera/camera_mode.h"

namespace verbcast {

/// All formats of the device in its own order, each in every size that can be sent, with the rates of that
/// size. Formats that cannot be used are listed once, without sizes.
std::vector<CameraMode> v4l2Modes(int fd, bool multiplanar);

}  // namespace verbcast
