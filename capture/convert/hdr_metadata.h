// HDR's static metadata as FFmpeg's decoders and containers have it.
#pragma once

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
}

#include <optional>

#include "core/video/video_format.h"

namespace verbcast {

/// What the picture itself, or the file about its video, says. nullopt: nothing.
std::optional<HdrMetadata> hdrOf(const AVFrame& picture);
std::optional<HdrMetadata> hdrOf(const AVStream& stream);

/// Says it in a stream that is to be written: before its container's header. Throws Error{Resource}.
void describeHdr(AVStream& stream, const HdrMetadata& hdr);

}  // namespace verbcast
