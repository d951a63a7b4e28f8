// Sets the log level.
#pragma once

#include "app/cli/stream_options.h"
#include "core/base/log.h"

namespace verbcast {

/// VERBCAST_LOG takes precedence.
inline void setVerbosity(Verbosity verbosity) {
    logToStderr(verbosity == Verbosity::Verbose ? spdlog::level::info
                : verbosity == Verbosity::Quiet ? spdlog::level::err
                                                : spdlog::level::warn);
}

}  // namespace verbcast
