// `verbcast run`: an OpenGL program of somebody else, streamed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "capture/run/run_settings.h"

namespace verbcast {

struct RunOptions {
    RunSettings settings;
    std::vector<std::string> program;  ///< its name or path, then its arguments
};

/// Adds `run` to a program's options. Lives until finish().
class RunCommandLine {
  public:
    explicit RunCommandLine(CLI::App& app);
    bool parsed() const { return run_->parsed(); }
    /// Throws Error{Usage} for what does not fit together.
    RunOptions finish() const;

  private:
    CLI::App* run_;
    std::string to_, listen_, size_, fps_ = "60";
    RunSettings settings_;
};

/// Runs the program until it ends. Returns its exit code, 128 and more for a signal as shells do. Throws
/// Error{Input} when it cannot be started, or ended well without a picture having been seen.
int runProgram(const RunOptions& options);

}  // namespace verbcast
