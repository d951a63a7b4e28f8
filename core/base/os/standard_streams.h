// What a program prints: results on standard output, and messages for people on standard error.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace verbcast {

/// For main(), before it opens anything: opens /dev/null as each of the descriptors 0 to 2 that is closed, so
/// that no file or socket gets its number. Reading and writing there fails with EBADF as before.
void reserveStandardStreams();

/// Writes a message for people to standard error, at once. What cannot be written is dropped: a full disk, a
/// closed terminal or a reader that has left ends no stream. Raises no SIGPIPE and no SIGXFSZ, and keeps
/// errno. Safe from any thread and in signal handlers.
void writeToStderr(std::string_view text) noexcept;

void formatToStderr(fmt::string_view format, fmt::format_args values) noexcept;
/// The same with a format. Also drops the message if memory runs out.
template <typename... Values>
void printToStderr(fmt::format_string<Values...> format, Values&&... values) noexcept {
    formatToStderr(format, fmt::make_format_args(values...));
}

/// Writes results to standard output, through its buffer. Throws Error{Resource} if they cannot be written.
/// Safe from any thread.
void writeToStdout(std::string_view text);
/// The same with a format.
template <typename... Values>
void printToStdout(fmt::format_string<Values...> format, Values&&... values) {
    writeToStdout(fmt::format(format, std::forward<Values>(values)...));
}
/// Writes what the buffer still holds. Throws as writeToStdout() does.
void flushStdout();

}  // namespace verbcast
