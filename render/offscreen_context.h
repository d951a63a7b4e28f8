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

    /// Framebuffer 0, of which there is none at first, gets this many pixels. It is as a window's: rows and
    /// bytes in the order that the driver gives windows, and no alpha where it has such. Throws
    /// Error{Display}.
    void makeFramebuffer(int width, int height);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
