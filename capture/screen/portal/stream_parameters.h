// Our capabilities as PipeWire's serialised objects.
#pragma once

#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

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

/// Serialised objects, and the memory that they lie in.
class PodList {
  public:
    PodList(const PodList&) = delete;
    PodList& operator=(const PodList&) = delete;
    const spa_pod** data() { return pods_.data(); }
    std::uint32_t count() const { return count_; }

  protected:
    PodList() { spa_pod_builder_init(&builder_, memory_.data(), static_cast<std::uint32_t>(memory_.size())); }
    void add(void* pod) { pods_[count_++] = static_cast<const spa_pod*>(pod); }

    spa_pod_builder builder_{};

  private:
    std::array<std::uint8_t, 2048> memory_{};
    std::array<const spa_pod*, 6> pods_{};
    std::uint32_t count_ = 0;
};

/// Offers every size that we can send, in each of our formats that a screen may have, up to a frame rate: in
/// dma-bufs, if those may be used, and else in shared memory.
class FormatOffer : public PodList {
  public:
    FormatOffer(Rational fastest, bool inDmaBufs);

  private:
    void add(Rational fastest, BufferKind kind);
};

/// Requests buffers of a kind with a header, crop, transform and damage; dma-bufs in such a number that we
/// may keep some, if the producer can make so many.
class BufferRequest : public PodList {
  public:
    explicit BufferRequest(BufferKind kind);

  private:
    void addBuffers(int wanted, int fewest, int types);
    void addMeta(std::uint32_t type, std::size_t bytes);
};

}  // namespace verbcast
