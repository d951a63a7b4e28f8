// Takes viewers' input to the screen that is sent, the scene that is drawn or the program that runs.
#pragma once

#include <span>

#include "core/session/messages/input.h"

namespace verbcast {

/// Used by one thread, not necessarily the capturing one: input does not wait for a picture.
class InputInjector {
  public:
    virtual ~InputInjector() = default;

    /// Applies the events in order. The first picture begun afterwards carries the serial of the last event.
    /// Ignores events that mean nothing here. Throws Error{Display} if nobody can take them any more.
    virtual void apply(std::span<const ViewerInput> events) = 0;
};

}  // namespace verbcast
