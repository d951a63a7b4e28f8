// verbcast pipe: a UNIX pipe that runs from one machine to another.
#pragma once

#include "app/pipe/pipe_options.h"

namespace verbcast {

/// Returns the exit code: 0 when all was delivered and flushed. Throws Error for what cannot begin; what
/// fails later is told on stderr.
int runPipe(const PipeOptions& options);

}  // namespace verbcast
