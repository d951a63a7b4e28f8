// This user's files that hold secrets: where they are kept, and how they are read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace verbcast {

/// "~/.config/verbcast/NAME", or under $XDG_CONFIG_HOME (the XDG Base Directory Specification). nullopt if
/// there is no home directory. The folder may not exist yet.
std::optional<std::string> configFile(std::string_view name);

/// Reads a file (or a pipe, as the shell's <(COMMAND)) that holds a secret, called `what` ("the key"), up to
/// `limit` bytes. Nothing, with errno set, if it cannot be opened or read. Throws Error{Usage} unless it is
/// the user's own or root's, and nobody else can read or write it; then `renewal` ("make a new one") is part
/// of the advice. Never waits for a named pipe's writer.
std::optional<std::string> readPrivate(const std::string& path, const std::string& what,
                                       const std::string& renewal, std::size_t limit = std::string::npos);

}  // namespace verbcast
