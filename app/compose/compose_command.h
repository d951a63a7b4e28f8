// verbcast compose: partial renderings of one picture, merged and passed on.
#pragma once

#include "app/send/send_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot begin.
int runCompose(const ComposeOptions& options);

}  // namespace verbcast
