// Reads drawn pictures back into memory without delaying the next.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class ReadbackPath {
    Measure,  ///< tries both briefly at the start and keeps the one that holds the caller up for less time
    Trial,    ///< measures both on the first pictures: for when nothing may be drawn just to measure
    Direct,   ///< glReadPixels directly into the memory: no extra copy, but start() waits for it
    Ring,     ///< through a ring of pixel-pack buffers with fences; take() copies into the memory
    Device,   ///< not with PixelReadback: the GPU copies within its own memory, see FrameReadback
    Pinned,   ///< not with PixelReadback: the GPU copies into main memory by itself, see FrameReadback
    Slot,     ///< not with PixelReadback: what draws writes into the slots itself, see SlotTargets
};

/// The place of the framebuffer's row 0.
enum class RowOrder {
    TopFirst,     ///< top of the picture: drawn upside down for OpenGL, so no row needs flipping
    BottomFirst,  ///< bottom, as OpenGL draws: flipped by the copy (Ring) or the driver (Direct)
};

struct ReadbackReport {
    ReadbackPath path = ReadbackPath::Direct;
    std::string reason;  ///< "direct 2.10 ms (15.8 GB/s), ring of pixel buffers 3.40 ms (9.8 GB/s), ..."
};

/// Thread-bound to the OpenGL context (3.2 or OpenGL ES 3.0, or later) that is current at construction.
/// Leaves no pixel buffer bound, pixel-store values at their defaults and framebuffer bindings unchanged.
class PixelReadback {
  public:
    /// Pictures that may be pending at once.
    static constexpr std::size_t kDepth = 3;

    /// The 8-bit format in which the driver reads `framebuffer` without converting: rgba or bgra.
    static PixelFormat preferredFormat(unsigned framebuffer);

    /// `format` is rgba or bgra, with or without depth; with depth, the framebuffer has a single-sample depth
    /// attachment. Measure draws over `framebuffer`, which is at least as large as the format, and reads into
    /// `scratch`, which has room for the payload; the other paths use neither. Throws Error{Display} if the
    /// driver has no room for the ring, or if Direct is required with BottomFirst but the driver cannot flip
    /// rows (no MESA_pack_invert).
    PixelReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                  std::byte* scratch);
    ~PixelReadback();
    PixelReadback(const PixelReadback&) = delete;
    PixelReadback& operator=(const PixelReadback&) = delete;

    /// Starts to read what was drawn into `framebuffer`. `payload` is the start of the frame; it may be
    /// written to until the picture is taken. Ring: returns at once. Returns Busy, without effect, if kDepth
    /// pictures are pending.
    Status start(unsigned framebuffer, std::byte* payload);

    /// Ok: the oldest picture is complete in its place; `damaged`: the driver lost it (reported when
    /// unmapping). TimedOut: not complete yet. Closed: none is pending.
    Status take(bool& damaged, std::chrono::nanoseconds timeout);

    std::size_t pending() const;
    const ReadbackReport& report() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
