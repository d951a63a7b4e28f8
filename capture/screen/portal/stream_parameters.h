// What we tell PipeWire that we can take, as its own serialised objects.
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

/// How pixels of PipeWire's are called here; nothing: they are not sent. The fourth byte is not alpha here.
std::optional<PixelFormat> pixelFormatOf(spa_video_format format);

/// Every size that can be sent, in each of our pixel formats that a screen may have, at most so fast.
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

/// Buffers in shared memory, with a header, the picture's part of the buffer, how it is turned and what
/// changed.
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
