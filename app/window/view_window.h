// Runs the viewer's window.
#pragma once

#include "app/view/view_options.h"

namespace verbcast {

/// Opens the window and runs the Qt event loop until the user closes it, a limit of the options is reached,
/// or SIGINT/SIGTERM arrives. Returns the exit code; writes the summary and --stats-json at the end. Throws
/// Error if it cannot work at all (no display, an unusable address).
int runViewWindow(const ViewOptions& options, int argc, char** argv);

}  // namespace verbcast
