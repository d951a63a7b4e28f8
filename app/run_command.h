// `verbcast run`: an OpenGL program of somebody else, streamed.
#pragma once

#include <string>
#include <vector>

#include "capture/run/run_settings.h"

namespace verbcast {

struct RunOptions {
    RunSettings settings;
    int figures = -1;                  ///< descriptor for what StatsStream writes; -1: nobody asked for it
    std::vector<std::string> program;  ///< its name or path, then its arguments
};

/// Runs the program until it ends. Returns its exit code, 128 and more for a signal as shells do. Throws
/// Error{Input} when it cannot be started, or ended well without a picture having been seen.
int runProgram(const RunOptions& options);

}  // namespace verbcast
