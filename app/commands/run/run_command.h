// `verbcast run`: streams an OpenGL program without changing it.
#pragma once

#include "app/preload/run_options.h"

namespace verbcast {

/// Runs the program until it ends, or the stream ends as the options say. Returns the program's exit code,
/// 128 plus the number for a signal, as shells do; if the stream ended first, what `verbcast send` returns.
/// Throws Error{Input} if the program cannot be started, or ended well without showing a picture.
int runProgram(const RunOptions& options);

}  // namespace verbcast
