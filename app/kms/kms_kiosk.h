// verbcast view --kiosk --drm: a kiosk without a desktop.
#pragma once

#include <string>

#include "app/view/view_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot start.
int runKmsKiosk(const ViewOptions& options);

/// This machine's cards and connectors with their modes, one per line, or why none can be used.
std::string displayLines();

}  // namespace verbcast
