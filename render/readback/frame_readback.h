// Moves drawn pictures into slots of a frame pool: in main memory, in the GPU's, or in dma-bufs.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/gpu/gl_sharing.h"
#include "core/memory/frame_pool.h"
#include "render/readback/pixel_readback.h"
#include "render/readback/slot_targets.h"

namespace verbcast {

/// Data that accompanies a picture.
struct ReadbackStamp {
    std::uint64_t number = 0;
    std::int64_t pts = 0;
    TimestampNs capturedAt = 0;
    std::uint64_t inputSequence = 0;
};

struct ReadbackFrame {
    FrameLease lease;
    ReadbackStamp stamp;
    bool damaged = false;  ///< the driver lost the buffer's content
};

/// PixelReadback into slots, with the same contract.
class FrameReadback {
  public:
    static constexpr std::size_t kDepth = PixelReadback::kDepth;
    static_assert(kDepth <= GlPicture::kDepth && kDepth <= SlotTargets::kDepth);

    /// Measure reads into a slot of `pool`. Throws as PixelReadback does, and Error{Resource} if Measure
    /// finds no free slot.
    FrameReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                  FramePool& pool);
    /// For slots in the memory of the GPU that draws `picture`, which is all that is read, or in main memory:
    /// then `ring` keeps them pinned for that GPU. The picture's rows lie in them as `plane` says.
    FrameReadback(std::unique_ptr<GlPicture> picture, const Plane& plane,
                  std::unique_ptr<PinnedMemory> ring = nullptr);
    /// For slots that `targets` has.
    explicit FrameReadback(std::unique_ptr<SlotTargets> targets);

    /// Reads into the slot of `lease`, which stays the caller's if this returns Busy. Throws Error{Device}
    /// when the GPU fails.
    Status start(unsigned framebuffer, FrameLease&& lease, const ReadbackStamp& stamp);
    /// Where the GPU copies, any timeout but 0 is as long as that takes.
    Status take(ReadbackFrame& frame, std::chrono::nanoseconds timeout);

    /// Gives back the slots of pictures that OpenGL was to read, without OpenGL. Call nothing afterwards.
    void abandon();

    std::size_t pending() const { return pixels_ ? pixels_->pending() : copies_; }
    const ReadbackReport& report() const { return pixels_ ? pixels_->report() : byDevice_; }

  private:
    void beginCopy(unsigned framebuffer, const FrameLease& lease);
    bool awaitCopy(std::chrono::nanoseconds timeout);

    /// A pending picture.
    struct Part {
        FrameLease lease;
        ReadbackStamp stamp;
    };
    std::array<Part, kDepth> parts_;
    std::size_t oldest_ = 0;
    // One of these three: by OpenGL into main memory, by CUDA, into dma-bufs.
    std::optional<PixelReadback> pixels_;
    std::unique_ptr<PinnedMemory> ring_;  // of picture_, whose copies end before it is unpinned
    std::unique_ptr<GlPicture> picture_;
    Plane plane_;  // of picture_
    std::unique_ptr<SlotTargets> targets_;
    std::size_t copies_ = 0;   // under way, unless pixels_ knows
    ReadbackReport byDevice_;  // likewise
};

}  // namespace verbcast
