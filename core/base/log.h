// Logging through spdlog: `log(LogCategory::Tcp).warn("...")`. A library prints nothing by itself: messages
// go nowhere until a program's main() calls logToStderr() or somebody gives a sink.
#pragma once

#include <spdlog/logger.h>

#include <string_view>

namespace verbcast {

/// What a message is about; VERBCAST_LOG sets the level of each.
enum class LogCategory {
    General,
    Memory,
    Session,  ///< connections: greeting, trust, heartbeats, ends
    Stream,   ///< frames and viewers
    Tcp,
    Shm,
    Rdma,   ///< what verbs and ofi have in common
    Verbs,  ///< ibverbs and rdma_cm
    Ofi,    ///< libfabric
    Pipe,
    Capture,
    Render,
    Window
};

/// The category's logger: level warn unless changed. Safe from any thread until the process ends. Not used
/// per frame.
spdlog::logger& log(LogCategory category = LogCategory::General);

/// Messages of all categories go there from now on; null: nowhere. The sink gets one message at a time,
/// whichever threads log, and the one before it is not in use any more when this returns. A sink must not
/// log. Safe from any thread.
void setLogSink(spdlog::sink_ptr sink);

/// Messages less grave than `level` are left out, in all categories. Safe from any thread.
void setLogLevel(spdlog::level::level_enum level);

/// Levels as VERBCAST_LOG writes them: "debug" for all categories, "tcp:debug,session:info" for some; later
/// words win. Throws Error{Usage} for a word that means nothing, and then changes nothing.
void setLogLevels(std::string_view levels);

/// For main(): messages go to stderr, with time and category where that is no terminal or debug is on, and
/// VERBCAST_LOG_TIMES is not "off", those of `level` and graver, or as the environment's VERBCAST_LOG says.
/// May be called again with another level. Throws Error{Usage} for a VERBCAST_LOG that setLogLevels()
/// refuses; messages go to stderr even then.
void logToStderr(spdlog::level::level_enum level = spdlog::level::warn);

}  // namespace verbcast
