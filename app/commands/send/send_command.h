// verbcast send.
#pragma once

#include "app/commands/send/send_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot start.
int runSend(const SendOptions& options);

}  // namespace verbcast
