// -v and -q.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/stream_options.h"

namespace verbcast {

class VerbosityOptions {
  public:
    /// Adds both to a command. This object outlives its parsing.
    void addTo(CLI::App& command, const char* verboseHelp);
    /// Throws Error{Usage} when both were given.
    Verbosity verbosity() const;

  private:
    bool quiet_ = false, verbose_ = false;
};

}  // namespace verbcast
