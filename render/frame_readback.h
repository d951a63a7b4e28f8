// Drawn pictures read back into slots of a frame pool, without holding up the drawing of the next.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/pool/frame_pool.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class ReadbackPath {
    Measure,  ///< try both for a moment at the start and keep the one that holds the caller up for less long
    Trial,    ///< both in turns for the first pictures, then likewise: where nothing may be drawn to measure
    Direct,   ///< glReadPixels straight into the slot: no copy of ours, but start() waits until it is there
    Ring,     ///< into a ring of pixel-pack buffers, each with a fence; take() copies it into the slot
};

/// Where row 0 of the framebuffer belongs.
enum class RowOrder {
    TopFirst,     ///< top of the picture: it was drawn upside down for OpenGL, so that no row needs turning
    BottomFirst,  ///< bottom, as OpenGL draws: rows are turned in the copy (Ring) or by the driver (Direct)
};

struct ReadbackReport {
    ReadbackPath path = ReadbackPath::Direct;
    std::string reason;  ///< "direct 2.1 ms (15.8 GB/s), ring of pixel buffers 3.4 ms (median of 8)"
};

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
    bool damaged = false;  ///< the driver lost the buffer's content (it says so when unmapping)
};

/// Thread-bound to the OpenGL context (3.3 core or later) that is current when it is made. Leaves no pixel
/// buffer bound, pixel-store values at their defaults and the framebuffer bindings as they were.
class FrameReadback {
  public:
    /// Pictures that may be on their way at once.
    static constexpr std::size_t kDepth = 3;

    /// The 8-bit format in which the driver reads `framebuffer` without converting: rgba or bgra.
    static PixelFormat preferredFormat(unsigned framebuffer);

    /// `format` is rgba or bgra. Measure draws over `framebuffer`, which has at least the format's size, and
    /// reads into a slot of `pool` while it measures. Throws Error{Display} when the driver has no room for
    /// the ring, or when Direct is demanded with BottomFirst of a driver that cannot turn rows (without
    /// MESA_pack_invert), Error{Resource} when Measure finds no free slot.
    FrameReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                  FramePool& pool);
    ~FrameReadback();
    FrameReadback(const FrameReadback&) = delete;
    FrameReadback& operator=(const FrameReadback&) = delete;

    /// Begins to read what was drawn into `framebuffer`, for the slot of `lease`. Ring: returns at once. Busy
    /// when kDepth pictures have not been taken: nothing happens, and the lease stays with the caller.
    Status start(unsigned framebuffer, FrameLease&& lease, const ReadbackStamp& stamp);

    /// The oldest picture, whole. TimedOut: it is not there yet. Closed: none is on its way.
    Status take(ReadbackFrame& frame, std::chrono::nanoseconds timeout);

    std::size_t pending() const;
    const ReadbackReport& report() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
