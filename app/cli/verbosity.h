// How much a command says, and the options -v and -q.
#pragma once

#include "app/cli/options/option_list.h"
#include "core/base/log/log.h"

namespace verbcast {

enum class Verbosity { Quiet, Normal, Verbose };

/// Adds -v and -q. Throws Error{Usage} as soon as both are given.
void addVerbosity(OptionList& options, Verbosity& verbosity, const char* verboseHelp);

/// Sets the log level. VERBCAST_LOG takes precedence.
inline void setVerbosity(Verbosity verbosity) {
    logToStderr(verbosity == Verbosity::Verbose ? spdlog::level::info
                : verbosity == Verbosity::Quiet ? spdlog::level::err
                                                : spdlog::level::warn);
}

}  // namespace verbcast
