// The log of what strangers do. Anybody who reaches a port decides how often they do it.
#pragma once

#include <fmt/format.h>

#include <new>
#include <string_view>
#include <utility>

#include "core/base/deadline.h"
#include "core/base/log.h"

namespace verbcast {

/// Logs `text`, bounded as RepeatLimiter says, over the whole process; without bounds where the category's
/// level is debug: then somebody wants to see it all. `kind` is what happened, in words of the program's own;
/// `who` an address without its port, or what else tells strangers from each other. From any thread.
void logStranger(LogCategory category, spdlog::level::level_enum level, std::string_view kind,
                 std::string_view who, std::string_view text);

/// The same; what there is no memory for is left out. A line of the log is not worth a connection.
template <typename... Args>
void tryLogStranger(LogCategory category, spdlog::level::level_enum level, std::string_view kind,
                    std::string_view who, fmt::format_string<Args...> format, Args&&... args) noexcept {
    try {
        logStranger(category, level, kind, who,
                    std::string_view(fmt::format(format, std::forward<Args>(args)...)));
    } catch (const std::bad_alloc&) {
    }
}

template <typename... Args>
void warnOfStranger(LogCategory category, std::string_view kind, std::string_view who,
                    fmt::format_string<Args...> format, Args&&... args) {
    tryLogStranger(category, spdlog::level::warn, kind, who, format, std::forward<Args>(args)...);
}

template <typename... Args>
void tellOfStranger(LogCategory category, std::string_view kind, std::string_view who,
                    fmt::format_string<Args...> format, Args&&... args) {
    tryLogStranger(category, spdlog::level::info, kind, who, format, std::forward<Args>(args)...);
}

/// Writes the summaries that are due. Listeners call it regularly, and by the deadline.
void summarizeStrangers();
Deadline nextStrangerSummary();

}  // namespace verbcast
