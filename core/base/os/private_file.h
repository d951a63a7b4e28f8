// Opens files that hold secrets.
#pragma once

#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Opens a file (or a pipe, as the shell's <(COMMAND)) to read a secret, called `what` ("the key"). Nothing,
/// with errno set, if it cannot be opened. Throws Error{Usage} unless it is the user's own or root's, and
/// nobody else can read or write it; then `renewal` ("make a new one") is part of the advice. Never waits for
/// a named pipe's writer.
UniqueFd openPrivate(const std::string& path, const std::string& what, const std::string& renewal);

}  // namespace verbcast
