// The command line of `verbcast run`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/run_command.h"
#include "app/trust_options.h"
#include "app/watch_options.h"

namespace verbcast {

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
    std::vector<std::string> program_;
    TrustOptions trust_;
    WatchOptions watch_;
    RunSettings settings_;
};

}  // namespace verbcast
