// Typed exceptions for everything that can go wrong while setting up or talking to a peer.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace verbcast {

/// What kind of thing failed. Each kind has its own process exit code, documented in docs/reference.md.
enum class ErrorKind {
    Internal = 1,  ///< a bug, or a system call that should not fail
    Usage = 2,     ///< the command line asks for something that does not exist or does not fit together
    Input = 3,     ///< a file or stream that cannot be opened or holds no video
    Network = 4,   ///< cannot listen, cannot connect, the peer was lost
    Resource = 5,  ///< memory, locked memory, descriptors
    Peer = 6,      ///< the peer refused us, speaks another version, or broke the protocol
    Device = 7,    ///< an RDMA, capture or GPU device is missing or failed
    Display = 8,   ///< no display or no usable OpenGL
    Corrupt = 9,   ///< the stream was played, but parts of it were damaged or missing
};

/// A short word for messages and for "exit_reason" in the statistics: "usage", "network", ...
std::string_view errorKindName(ErrorKind kind);

/// what() names the thing, its value and what was expected; remedy() is the line that says how to fix it, or
/// empty.
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message, std::string remedy = {})
        : std::runtime_error(message), kind_(kind), remedy_(std::move(remedy)) {}

    ErrorKind kind() const { return kind_; }
    const std::string& remedy() const { return remedy_; }
    int exitCode() const { return static_cast<int>(kind_); }

  private:
    ErrorKind kind_;
    std::string remedy_;
};

/// The peer has broken the protocol in this way.
template <typename... Args>
Error peerError(fmt::format_string<Args...> format, Args&&... args) {
    return {ErrorKind::Peer, fmt::format(format, std::forward<Args>(args)...)};
}

/// Text for an errno value; safe from any thread.
std::string errnoText(int code);

/// Throws Error{kind} with the text "call on object: text of errno (code)".
[[noreturn]] void throwErrno(ErrorKind kind, std::string_view call, std::string_view object, int code,
                             std::string remedy = {});

/// Result of a per-frame call, which never throws.
enum class [[nodiscard]] Status{
    Ok,
    TimedOut,   ///< nothing happened before the deadline
    Cancelled,  ///< another thread asked the wait to end
    Busy,       ///< a bounded queue is full; try again after the next wake-up
    Closed,     ///< the stream or connection has ended
};

}  // namespace verbcast
