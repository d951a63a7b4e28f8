// Reads drawn pictures back into slots of a frame pool.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "core/base/clock.h"
#include "core/base/error.h"
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

    /// Measure reads into a slot of `pool`. Throws as PixelReadback does, and Error{Resource} if Measure
    /// finds no free slot.
    FrameReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                  FramePool& pool);

    /// Reads into the slot of `lease`, which stays the caller's if this returns Busy.
    Status start(unsigned framebuffer, FrameLease&& lease, const ReadbackStamp& stamp);
    Status take(ReadbackFrame& frame, std::chrono::nanoseconds timeout);

    std::size_t pending() const { return pixels_.pending(); }
    const ReadbackReport& report() const { return pixels_.report(); }

  private:
    /// A pending picture.
    struct Part {
        FrameLease lease;
        ReadbackStamp stamp;
    };
    std::array<Part, kDepth> parts_;
    std::size_t oldest_ = 0;
    PixelReadback pixels_;
};

}  // namespace verbcast
