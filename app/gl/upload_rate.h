// How fast this machine takes frames into its textures.
#pragma once

#include <nlohmann/json.hpp>

#include "core/video/video_format.h"

namespace verbcast {

/// Uploads frames for about a second, out of a ring that no cache holds, each until OpenGL is done with it.
/// Gives {renderer, path, gigabytes_per_second, frames_per_second}; the rates are of the median frame.
/// Throws Error{Display} when there is no OpenGL, Error{Resource} when there is no room for the ring.
nlohmann::json measureUploadRate(const VideoFormat& format);

}  // namespace verbcast
