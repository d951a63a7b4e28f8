// Ctrl-C and similar signals as an Event.
#pragma once

#include "core/base/event.h"

namespace verbcast {

/// Set by the first SIGINT, SIGTERM or SIGHUP after installInterruptHandler(); another one ends the process
/// at once. Signals within half a second count as one: timeout(1) signals both a process and its group.
Event& interruptEvent();
void installInterruptHandler();

}  // namespace verbcast
