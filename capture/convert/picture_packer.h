// Packs pictures as containers hold them: one plane after the other, rows without gaps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/video/video_format.h"

namespace verbcast {

/// Used by one thread. Results are valid until the next call, and no longer than the payload.
class PicturePacker {
  public:
    /// FFmpeg's rawvideo of the same format; returns the payload's own bytes if they are already packed.
    std::span<const std::byte> pack(const VideoFormat& format, const std::byte* payload);

    /// The bytes of storedPixelFormat(): p010le becomes yuv420p10le, x2rgb10le gbrp10le, without loss.
    std::span<const std::byte> packStored(const VideoFormat& format, const std::byte* payload);

  private:
    std::vector<std::byte> buffer_;
};

}  // namespace verbcast
