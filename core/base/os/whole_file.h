// Writing files all or nothing.
#pragma once

#include <string>

namespace verbcast {

/// Writes `text` to `path`: first to a file beside it, then renamed, so that nobody sees half of it and an
/// older file survives a failed write. Anything but a regular file (a pipe, /dev/null) is written directly;
/// "-" is standard output.
/// Throws Error{Usage} if the path cannot be written, and as findOutput() does; Error{Resource} if writing
/// fails (disk full).
void writeWhole(const std::string& path, const std::string& text);

/// Throws Error{Usage} now if writeWhole() could not write there later. Leaves nothing behind. An empty path
/// and "-" are accepted.
void checkWritable(const std::string& path);

}  // namespace verbcast
