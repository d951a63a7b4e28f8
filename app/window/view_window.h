// The viewer's window, as the program around it sees it.
#pragma once

#include "app/view/view_options.h"

namespace verbcast {

/// Opens the window and runs the Qt event loop until the user closes it, a limit of the options is reached,
/// or SIGINT/SIGTERM. Returns the exit code; the summary and --stats-json are written on the way out. Throws
/// Error for what cannot work at all (no display, an address that cannot be used).
int runViewWindow(const ViewOptions& options, int argc, char** argv);

}  // namespace verbcast
