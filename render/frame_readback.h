// Moves drawn pictures into slots of a frame pool, in main memory or in the GPU's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/gpu/gl_picture.h"
#include "core/memory/frame_pool.h"
#include "render/pixel_readback.h"

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
    static_assert(kDepth <= GlPicture::kDepth);

    /// Measure reads into a slot of `pool`. Throws as PixelReadback does, and Error{Resource} if Measure
    /// finds no free slot.
    FrameReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                  FramePool& pool);
    /// For slots in the memory of the GPU that draws `picture`, which is all that is read.
    explicit FrameReadback(std::unique_ptr<GlPicture> picture);

    /// Reads into the slot of `lease`, which stays the caller's if this returns Busy. Throws Error{Device}
    /// when the GPU fails.
    Status start(unsigned framebuffer, FrameLease&& lease, const ReadbackStamp& stamp);
    Status take(ReadbackFrame& frame, std::chrono::nanoseconds timeout);

    std::size_t pending() const { return pixels_ ? pixels_->pending() : copies_; }
    const ReadbackReport& report() const { return pixels_ ? pixels_->report() : onDevice_; }

  private:
    bool awaitCopy(std::chrono::nanoseconds timeout);

    /// A pending picture.
    struct Part {
        FrameLease lease;
        ReadbackStamp stamp;
    };
    std::array<Part, kDepth> parts_;
    std::size_t oldest_ = 0;
    std::optional<PixelReadback> pixels_;  // into main memory; or, into the GPU's, the three below
    std::unique_ptr<GlPicture> picture_;
    std::size_t copies_ = 0;
    ReadbackReport onDevice_{.path = ReadbackPath::Device, .reason = {}};
};

}  // namespace verbcast
