// verbcast relay: passes a stream on.
#pragma once

#include "app/commands/relay/relay_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot start.
int runRelay(const RelayOptions& options);

}  // namespace verbcast
