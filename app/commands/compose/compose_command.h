// verbcast compose: merges partial renderings of one picture and sends the result.
#pragma once

#include "app/commands/compose/compose_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot start.
int runCompose(const ComposeOptions& options);

}  // namespace verbcast
