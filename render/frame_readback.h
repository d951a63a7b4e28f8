// Drawn pictures read back into slots of a frame pool.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/memory/frame_pool.h"
#include "render/pixel_readback.h"

namespace verbcast {

/// What travels with a picture on its way.
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

/// PixelReadback with slots as its memory: the same contract.
class FrameReadback {
  public:
    static constexpr std::size_t kDepth = PixelReadback::kDepth;

    /// Measure reads into a slot of `pool` while it measures. Throws as PixelReadback does, and
    /// Error{Resource} when Measure finds no free slot.
    FrameReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                  FramePool& pool);

    /// Into the slot of `lease`, which stays with the caller when it is Busy.
    Status start(unsigned framebuffer, FrameLease&& lease, const ReadbackStamp& stamp);
    Status take(ReadbackFrame& frame, std::chrono::nanoseconds timeout);

    std::size_t pending() const { return pixels_.pending(); }
    const ReadbackReport& report() const { return pixels_.report(); }

  private:
    /// A picture on its way.
    struct Part {
        FrameLease lease;
        ReadbackStamp stamp;
    };
    std::array<Part, kDepth> parts_;
    std::size_t oldest_ = 0;
    PixelReadback pixels_;
};

}  // namespace verbcast
