// Logging through spdlog: `log(LogCategory::Tcp).warn("...")`. A library prints nothing by itself: messages
// are discarded until a program's main() calls logToStderr() or somebody sets a sink.
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
    Rdma,   ///< what verbs and ofi share
    Verbs,  ///< ibverbs and rdma_cm
    Ofi,    ///< libfabric
    Pipe,
    Capture,
    Render,
    Window
};

/// The category's logger, at level warn unless changed. Safe from any thread until the process ends. Not used
/// per frame.
spdlog::logger& log(LogCategory category = LogCategory::General);

/// Sends the messages of all categories to this sink from now on; null discards them. The sink gets one
/// message at a time, even if several threads log, and the previous sink is no longer in use when this
/// returns. A sink must not log. Safe from any thread.
void setLogSink(spdlog::sink_ptr sink);

/// Sends what is as severe as the sink's own level to this one besides; null: no longer. Otherwise like
/// setLogSink(). For a window that shows what its program also logs.
void copyLogTo(spdlog::sink_ptr sink);

/// Drops messages less severe than `level`, in all categories. Safe from any thread.
void setLogLevel(spdlog::level::level_enum level);

/// Levels as VERBCAST_LOG writes them: "debug" for all categories, "tcp:debug,session:info" for some; later
/// words win. Throws Error{Usage} for an unknown word, and then changes nothing.
void setLogLevels(std::string_view levels);

/// For main(): sends messages of `level` and above, or as the environment's VERBCAST_LOG says, to stderr.
/// They carry time and category if stderr is no terminal or debug is on, and VERBCAST_LOG_TIMES is not "off".
/// May be called again with another level. Throws Error{Usage} for a VERBCAST_LOG that setLogLevels()
/// rejects; messages go to stderr even then.
void logToStderr(spdlog::level::level_enum level = spdlog::level::warn);

}  // namespace verbcast
