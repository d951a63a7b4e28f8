// Pictures as containers hold them: one plane after the other, rows without gaps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/video/video_format.h"

namespace verbcast {

/// Used by one thread. What a function gives is valid until the next call, and as long as the payload is.
class PicturePacker {
  public:
    /// FFmpeg's rawvideo of the format itself; the payload's own bytes where they lie so.
    std::span<const std::byte> pack(const VideoFormat& format, const std::byte* payload);

    /// p010le as yuv420p10le: no bit is lost.
    std::span<const std::byte> packP010(const VideoFormat& format, const std::byte* payload);

    /// x2rgb10le as gbrp10le: no bit is lost.
    std::span<const std::byte> packX2rgb10(const VideoFormat& format, const std::byte* payload);

  private:
    std::vector<std::byte> buffer_;
};

}  // namespace verbcast
