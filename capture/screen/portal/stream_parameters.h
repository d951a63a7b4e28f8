// Our capabilities as PipeWire's serialised objects.
#pragma once

#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "core/video/pixel_format.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Our format for PipeWire's; nullopt if it cannot be sent. Our fourth byte is not alpha.
std::optional<PixelFormat> pixelFormatOf(spa_video_format format);

/// Offers every size that we can send, in each of our formats that a screen may have, up to a frame rate.
class FormatOffer {
  public:
    explicit FormatOffer(Rational fastest);
    FormatOffer(const FormatOffer&) = delete;
    FormatOffer& operator=(const FormatOffer&) = delete;
    const spa_pod* pod() const { return pod_; }

  private:
    std::array<std::uint8_t, 1024> memory_{};
    const spa_pod* pod_ = nullptr;  // in memory_
};

/// Requests buffers in shared memory with a header, crop, transform and damage.
class BufferRequest {
  public:
    BufferRequest();
    BufferRequest(const BufferRequest&) = delete;
    BufferRequest& operator=(const BufferRequest&) = delete;
    std::span<const spa_pod*> pods() { return pods_; }

  private:
    std::array<std::uint8_t, 1024> memory_{};
    std::array<const spa_pod*, 5> pods_{};  // in memory_
};

}  // namespace verbcast
