// The test picture of virtual cameras.
#pragma once

#include <cstddef>

#include "core/video/video_format.h"

namespace verbcast::testing {

/// Expects vivid's eight 75 % bars.
void expectBars(const VideoFormat& format, std::byte* payload);

}  // namespace verbcast::testing
