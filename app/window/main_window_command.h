// Runs the main window.
#pragma once

#include "app/commands/command_line.h"

namespace verbcast {

/// Opens the window and runs the Qt event loop until it is closed or SIGINT/SIGTERM arrives. Returns the exit
/// code. Throws Error{Display} without a display, Error{Input} for an unusable session file.
int runMainWindow(const MainWindowOptions& options, int argc, char** argv);

}  // namespace verbcast
