// Ctrl-C and similar signals as an Event.
#pragma once

#include "core/base/os/event.h"

namespace verbcast {

/// Set by the first SIGINT, SIGTERM or SIGHUP after installInterruptHandler(); another one ends the process
/// at once. Signals within half a second count as one: timeout(1) signals both a process and its group.
Event& interruptEvent();
/// Leaves signals alone that are ignored, as for a program that nohup(1) or a script's "&" started.
void installInterruptHandler();
/// From now on another signal does not end this process but sets this event, until the next function is
/// called.
Event& secondInterruptEvent();
void letSecondInterruptEnd();

/// Whether this process ignores the signal, as it may have been started to do.
bool isIgnored(int signal);

}  // namespace verbcast
