// Our capabilities as PipeWire's serialised objects.
#pragma once

#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/video/pixel_format.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Our format for PipeWire's; nullopt if it cannot be sent. Our fourth byte is not alpha.
std::optional<PixelFormat> pixelFormatOf(spa_video_format format);

/// Where a producer's pictures lie.
enum class BufferKind {
    Shared,  ///< in memory of processors
    DmaBuf,  ///< in a device's memory, row after row
};

/// What a format says of where its pictures lie: with a modifier, in dma-bufs.
struct AgreedModifier {
    BufferKind kind = BufferKind::Shared;
    /// How a device arranges the pixels. Unset while the producer has not chosen yet.
    std::optional<std::uint64_t> value;
};
AgreedModifier modifierOf(const spa_pod* format);

/// DRM_FORMAT_MOD_LINEAR: row after row, the only arrangement that processors and all viewers can read.
inline constexpr std::uint64_t kLinearModifier = 0;

/// Offers every size that we can send, in each of our formats that a screen may have, up to a frame rate: in
/// dma-bufs, if those may be used, and else in shared memory.
class FormatOffer {
  public:
    FormatOffer(Rational fastest, bool inDmaBufs);
    FormatOffer(const FormatOffer&) = delete;
    FormatOffer& operator=(const FormatOffer&) = delete;
    std::span<const spa_pod*> pods() { return std::span(pods_).first(count_); }

  private:
    std::array<std::uint8_t, 2048> memory_{};
    std::array<const spa_pod*, 2> pods_{};  // in memory_
    std::size_t count_ = 0;
};

/// Requests buffers of a kind with a header, crop, transform and damage; dma-bufs in such a number that we
/// may keep some, if the producer can make so many.
class BufferRequest {
  public:
    explicit BufferRequest(BufferKind kind);
    BufferRequest(const BufferRequest&) = delete;
    BufferRequest& operator=(const BufferRequest&) = delete;
    std::span<const spa_pod*> pods() { return std::span(pods_).first(count_); }

  private:
    std::array<std::uint8_t, 1024> memory_{};
    std::array<const spa_pod*, 6> pods_{};  // in memory_
    std::size_t count_ = 0;
};

}  // namespace verbcast
