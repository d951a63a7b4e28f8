// A target to draw into without a window, and the wait that measuring needs.
#pragma once

#include <cstddef>
#include <vector>

#include "render/offscreen_context.h"

namespace verbcast {

/// A target like a window. Thread-bound like its context, which has one target at a time: the newest.
class OffscreenTarget {
  public:
    /// Throws Error{Display} if the driver cannot draw at this size.
    OffscreenTarget(OffscreenContext& context, int width, int height);

    int width() const { return width_; }
    int height() const { return height_; }
    /// Directs drawing here from now on.
    void bind();
    /// Reads the picture into this object's memory, four bytes per pixel, in the driver's own order. Blocks
    /// until it has been drawn and read.
    const std::vector<std::byte>& read();

  private:
    int width_, height_;
    std::vector<std::byte> pixels_;
};

/// Blocks until OpenGL has done everything told so far.
void finishGl();

}  // namespace verbcast
