// OpenGL without any window: a context, a target to draw into, and the wait that measuring needs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace verbcast {

/// OpenGL 3.3 core or later through EGL: on the GPU that was chosen (gpuIsChosen()); else surfaceless if the
/// driver can, else on the first EGL device, else on the default display. Current on the constructing thread,
/// which must also destroy it.
class OffscreenContext {
  public:
    /// Throws Error{Display} naming what was tried and EGL's errors.
    OffscreenContext();
    ~OffscreenContext();

    /// Creates framebuffer 0, absent at first, with this many pixels. It is like a window's: rows and bytes
    /// in the driver's order for windows, and no alpha if the driver has such. Throws Error{Display}.
    void makeFramebuffer(int width, int height);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

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
