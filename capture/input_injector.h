// Where viewers' input goes: to the screen that is sent, the scene that is drawn, the program that runs.
#pragma once

#include <span>

#include "core/session/messages/input.h"

namespace verbcast {

/// Used by one thread, which need not be the one that makes the pictures: input does not wait for a picture.
class InputInjector {
  public:
    virtual ~InputInjector() = default;

    /// Carries the events out, in order; then the first picture that was begun after that has the last one's
    /// serial. What means nothing here is left out. Throws Error{Display} when there is nobody to take them
    /// any more.
    virtual void apply(std::span<const ViewerInput> events) = 0;
};

}  // namespace verbcast
