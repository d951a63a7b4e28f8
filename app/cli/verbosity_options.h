// The options -v and -q, and what they set.
#pragma once

#include "app/cli/cli11.h"
#include "app/cli/stream_options.h"
#include "core/base/log/log.h"

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

/// Sets the log level. VERBCAST_LOG takes precedence.
inline void setVerbosity(Verbosity verbosity) {
    logToStderr(verbosity == Verbosity::Verbose ? spdlog::level::info
                : verbosity == Verbosity::Quiet ? spdlog::level::err
                                                : spdlog::level::warn);
}

}  // namespace verbcast
