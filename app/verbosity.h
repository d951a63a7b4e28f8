// How much the log says.
#pragma once

#include "app/command_line.h"
#include "core/base/log.h"

namespace verbcast {

/// VERBCAST_LOG still counts for more.
inline void setVerbosity(Verbosity verbosity) {
    logToStderr(verbosity == Verbosity::Verbose ? spdlog::level::info
                : verbosity == Verbosity::Quiet ? spdlog::level::err
                                                : spdlog::level::warn);
}

}  // namespace verbcast
