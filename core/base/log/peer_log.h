// Logging what peers and their data can make happen, and so decide how often it happens.
#pragma once

#include <fmt/format.h>

#include <new>
#include <string_view>
#include <utility>

#include "core/base/log/log.h"
#include "core/base/os/deadline.h"

namespace verbcast {

/// Logs `text`, rate-limited by RepeatLimiter for the whole process; without limits if the category's level
/// is debug, when somebody wants to see everything. `kind` is what happened, in the program's own words;
/// `who` an address without its port, or whatever else tells peers apart. Safe from any thread.
void logPeer(LogCategory category, spdlog::level::level_enum level, std::string_view kind,
             std::string_view who, std::string_view text);

/// The same, but drops the message if memory runs out: a log line is not worth a connection.
template <typename... Args>
void tryLogPeer(LogCategory category, spdlog::level::level_enum level, std::string_view kind,
                std::string_view who, fmt::format_string<Args...> format, Args&&... args) noexcept {
    try {
        logPeer(category, level, kind, who,
                std::string_view(fmt::format(format, std::forward<Args>(args)...)));
    } catch (const std::bad_alloc&) {
    }
}

template <typename... Args>
void warnOfPeer(LogCategory category, std::string_view kind, std::string_view who,
                fmt::format_string<Args...> format, Args&&... args) {
    tryLogPeer(category, spdlog::level::warn, kind, who, format, std::forward<Args>(args)...);
}

template <typename... Args>
void tellOfPeer(LogCategory category, std::string_view kind, std::string_view who,
                fmt::format_string<Args...> format, Args&&... args) {
    tryLogPeer(category, spdlog::level::info, kind, who, format, std::forward<Args>(args)...);
}

/// Writes the summaries that are due. Links and listeners call it regularly, and listeners at the latest by
/// nextPeerSummary().
void summarizePeers();
/// Writes all summaries, due or not: for the end of the program. logToStderr() sees to that.
void summarizeAllPeers();
Deadline nextPeerSummary();

}  // namespace verbcast
