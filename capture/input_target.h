// What a source offers that viewers may steer.
#pragma once

#include "core/session/input.h"

namespace verbcast {

class InputTarget {
  public:
    virtual ~InputTarget() = default;
    /// Called by the thread that captures, before the frame that is the first to show the effect, in the
    /// order of the serials.
    virtual void input(const ViewerInput& input) = 0;
};

}  // namespace verbcast
