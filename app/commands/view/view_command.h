// verbcast view without a window.
#pragma once

#include "app/view/view_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot start.
int runHeadlessView(const ViewOptions& options);

}  // namespace verbcast
