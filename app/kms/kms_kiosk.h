// verbcast view --kiosk --drm: a kiosk without a desktop.
#pragma once

#include <string>

#include "app/view/view_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot begin.
int runKmsKiosk(const ViewOptions& options);

/// The cards and connectors of this machine with their modes, a line each, or why none can be used.
std::string displayLines();

}  // namespace verbcast
