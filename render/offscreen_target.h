// Something to draw into without a window, and the wait that measuring needs.
#pragma once

#include <cstddef>
#include <vector>

#include "render/offscreen_context.h"

namespace verbcast {

/// A target as a window is one. Thread-bound like its context, which has one target at a time: a new one
/// takes the place of the one before.
class OffscreenTarget {
  public:
    /// Throws Error{Display} when the driver cannot draw into this size.
    OffscreenTarget(OffscreenContext& context, int width, int height);

    int width() const { return width_; }
    int height() const { return height_; }
    /// What is drawn from now on goes here.
    void bind();
    /// Reads the picture into memory of this object's, four bytes a pixel, in the order that the driver keeps
    /// it in. Blocks until it was drawn and is there.
    const std::vector<std::byte>& read();

  private:
    int width_, height_;
    std::vector<std::byte> pixels_;
};

/// Blocks until OpenGL has done everything that it was told so far.
void finishGl();

}  // namespace verbcast
