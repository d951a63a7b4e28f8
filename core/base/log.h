// Logging through spdlog to stderr: `log().warn("...")`.
#pragma once

#include <spdlog/logger.h>

namespace verbcast {

/// The program's logger. Level warn unless changed; safe from any thread. Not used per frame.
spdlog::logger& log();

}  // namespace verbcast
