// `verbcast run`: streams an OpenGL program without changing it.
#pragma once

#include "app/run/run_options.h"

namespace verbcast {

/// Runs the program until it ends, or until the stream does as the options say. Returns the program's exit
/// code, 128 and more for a signal as shells do; where the stream's end came first, what `verbcast send`
/// returns. Throws Error{Input} when it cannot be started, or ended well without a picture having been seen.
int runProgram(const RunOptions& options);

}  // namespace verbcast
