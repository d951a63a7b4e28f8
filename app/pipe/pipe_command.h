// verbcast pipe: a UNIX pipe from one machine to another.
#pragma once

#include "app/pipe/pipe_options.h"

namespace verbcast {

/// Returns the exit code: 0 if everything was delivered and flushed. Throws Error if it cannot start; later
/// failures are printed on stderr.
int runPipe(PipeOptions options);

}  // namespace verbcast
