// A picture of a PNG or JPEG file, in the GPU.
#pragma once

#include <string>

#include "render/stream_renderer.h"

namespace verbcast {

/// `option`: the one that names the file, for what is said. Throws Error{Input}.
void uploadPictureFile(StreamRenderer& renderer, const std::string& path, const char* option);

}  // namespace verbcast
