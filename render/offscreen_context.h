// An OpenGL context without any window, for tests, benchmarks and `verbcast devices`.
#pragma once

#include <memory>

namespace verbcast {

/// OpenGL 3.3 core or later by EGL: surfaceless where the driver has that, else with a small pbuffer, else on
/// the first EGL device. Current on the constructing thread from construction to destruction; that thread
/// destroys it.
class OffscreenContext {
  public:
    /// Throws Error{Display} naming what was tried and what EGL said.
    OffscreenContext();
    ~OffscreenContext();
    OffscreenContext(const OffscreenContext&) = delete;
    OffscreenContext& operator=(const OffscreenContext&) = delete;

    /// Makes framebuffer 0, which is absent at first, with this many pixels. It is like a window's: rows and
    /// bytes in the driver's order for windows, and no alpha where the driver has such. Throws
    /// Error{Display}.
    void makeFramebuffer(int width, int height);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
