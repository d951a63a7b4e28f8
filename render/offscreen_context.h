// An OpenGL context without any window, for tests, benchmarks and `verbcast devices`.
#pragma once

#include <memory>

namespace verbcast {

/// OpenGL 3.3 core or later through EGL: on the GPU that was chosen (gpuIsChosen()); else surfaceless if the
/// driver can, else on the first EGL device, else on the default display. Current on the constructing thread,
/// which must also destroy it.
class OffscreenContext {
  public:
    /// Throws Error{Display} naming what was tried and EGL's errors.
    OffscreenContext();
    ~OffscreenContext();
    OffscreenContext(const OffscreenContext&) = delete;
    OffscreenContext& operator=(const OffscreenContext&) = delete;

    /// Creates framebuffer 0, absent at first, with this many pixels. It is like a window's: rows and bytes
    /// in the driver's order for windows, and no alpha if the driver has such. Throws Error{Display}.
    void makeFramebuffer(int width, int height);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
