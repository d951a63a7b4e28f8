// The options -v and -q.
#pragma once

#include "app/cli/cli11.h"
#include "app/cli/stream_options.h"

namespace verbcast {

class VerbosityOptions {
  public:
    /// Adds both to a command. This object must outlive parsing.
    void addTo(CLI::App& command, const char* verboseHelp);
    /// Throws Error{Usage} if both were given.
    Verbosity verbosity() const;

  private:
    bool quiet_ = false, verbose_ = false;
};

}  // namespace verbcast
