// Ctrl-C and its like as an Event.
#pragma once

#include "core/base/event.h"

namespace verbcast {

/// Set by the first SIGINT, SIGTERM or SIGHUP after installInterruptHandler(); a second one ends the process
/// at once.
Event& interruptEvent();
void installInterruptHandler();

}  // namespace verbcast
