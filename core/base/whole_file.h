// Files that are there whole or not at all.
#pragma once

#include <string>

namespace verbcast {

/// Writes `text` to `path`: to a file beside it first, then renamed, so that nobody sees half of it and an
/// older file stays when writing fails. What is no regular file (a pipe, /dev/null) is written directly.
/// Throws Error{Usage} when the place cannot be written, Error{Resource} when writing fails (disk full).
void writeWhole(const std::string& path, const std::string& text);

/// Throws Error{Usage} now if writeWhole() could not write there later. Leaves nothing behind. An empty path
/// and "-" are fine.
void checkWritable(const std::string& path);

}  // namespace verbcast
