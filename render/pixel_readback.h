// Drawn pictures read back into memory, without holding up the drawing of the next.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class ReadbackPath {
    Measure,  ///< try both for a moment at the start and keep the one that holds the caller up for less long
    Trial,    ///< both in turns for the first pictures, then likewise: where nothing may be drawn to measure
    Direct,   ///< glReadPixels straight into the memory: no copy of ours, but start() waits until it is there
    Ring,     ///< into a ring of pixel-pack buffers, each with a fence; take() copies it into the memory
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

/// Thread-bound to the OpenGL context (3.2 or OpenGL ES 3.0, or later) that is current when it is made.
/// Leaves no pixel buffer bound, pixel-store values at their defaults and the framebuffer bindings as they
/// were.
class PixelReadback {
  public:
    /// Pictures that may be on their way at once.
    static constexpr std::size_t kDepth = 3;

    /// The 8-bit format in which the driver reads `framebuffer` without converting: rgba or bgra.
    static PixelFormat preferredFormat(unsigned framebuffer);

    /// `format` is rgba or bgra, with or without depth; with it the framebuffer has a depth attachment of one
    /// sample. Measure draws over `framebuffer`, which has at least the format's size, and
    /// reads into `scratch`, which has room for the payload; the others use neither. Throws Error{Display}
    /// when the driver has no room for the ring, or when Direct is demanded with BottomFirst of a driver that
    /// cannot turn rows (without MESA_pack_invert).
    PixelReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                  std::byte* scratch);
    ~PixelReadback();
    PixelReadback(const PixelReadback&) = delete;
    PixelReadback& operator=(const PixelReadback&) = delete;

    /// Begins to read what was drawn into `framebuffer`; `payload` is where the frame begins, and may be
    /// written to until the picture is taken. Ring: returns at once. Busy when kDepth pictures have not been
    /// taken: nothing happens.
    Status start(unsigned framebuffer, std::byte* payload);

    /// The oldest picture is whole, in its place; `damaged`: the driver lost it (it says so when unmapping).
    /// TimedOut: it is not there yet. Closed: none is on its way.
    Status take(bool& damaged, std::chrono::nanoseconds timeout);

    std::size_t pending() const;
    const ReadbackReport& report() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
