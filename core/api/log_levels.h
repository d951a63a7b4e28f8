// The log's levels in the C interface, for libverbcast and libverbcast-gl.
#pragma once

#include <spdlog/common.h>

#include "core/api/common.h"

namespace verbcast {

inline vc_log_level logLevelFrom(spdlog::level::level_enum level) {
    return level >= spdlog::level::err    ? VC_LOG_ERROR
           : level == spdlog::level::warn ? VC_LOG_WARNING
           : level == spdlog::level::info ? VC_LOG_INFO
                                          : VC_LOG_DEBUG;
}

inline spdlog::level::level_enum logLevelFrom(vc_log_level level) {
    return level <= VC_LOG_ERROR     ? spdlog::level::err
           : level == VC_LOG_WARNING ? spdlog::level::warn
           : level == VC_LOG_INFO    ? spdlog::level::info
                                     : spdlog::level::debug;
}

}  // namespace verbcast
