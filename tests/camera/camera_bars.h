// The picture that virtual cameras show.
#pragma once

#include <cstddef>

#include "core/video/video_format.h"

namespace verbcast::testing {

/// Expects vivid's eight bars of 75 %.
void expectBars(const VideoFormat& format, std::byte* payload);

}  // namespace verbcast::testing
