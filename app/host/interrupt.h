// Ctrl-C and similar signals as an Event.
#pragma once

#include "core/base/event.h"

namespace verbcast {

/// Set by the first SIGINT, SIGTERM or SIGHUP after installInterruptHandler(); another one ends the process
/// at once. Those that follow within half a second are the same one: timeout(1) signals a process and its
/// group.
Event& interruptEvent();
void installInterruptHandler();

}  // namespace verbcast
