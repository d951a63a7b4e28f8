// Takes viewers' input somewhere else than into this program: to the screen that is sent.
#pragma once

#include <span>

#include "core/session/input.h"

namespace verbcast {

/// Made by a FrameSource, which outlives it, for the pictures that it gives. Used by one thread, not the
/// source's: input does not wait for a picture.
class InputInjector {
  public:
    virtual ~InputInjector() = default;

    /// Carries the events out, in order; then the source's next frame has the last one's serial. What means
    /// nothing here is left out. Throws Error{Display} when there is nobody to take them any more.
    virtual void apply(std::span<const ViewerInput> events) = 0;
};

}  // namespace verbcast
