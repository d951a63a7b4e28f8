// How much the log says.
#pragma once

#include "app/command_line.h"
#include "core/base/log.h"

namespace verbcast {

inline void setVerbosity(Verbosity verbosity) {
    log().set_level(verbosity == Verbosity::Verbose ? spdlog::level::info
                    : verbosity == Verbosity::Quiet ? spdlog::level::err
                                                    : spdlog::level::warn);
}

}  // namespace verbcast
