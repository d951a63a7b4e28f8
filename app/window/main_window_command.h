// The main window, as the program around it sees it.
#pragma once

#include "app/commands/command_line.h"

namespace verbcast {

/// Opens the window and runs the Qt event loop until it is closed, or SIGINT/SIGTERM. Returns the exit code.
/// Throws Error{Display} without a display, Error{Input} for a session file that cannot be used.
int runMainWindow(const MainWindowOptions& options, int argc, char** argv);

}  // namespace verbcast
