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

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
