// Key files: where they are, and how new ones are written.
#pragma once

#include <string>
#include <string_view>

namespace verbcast {

/// ~/.config/verbcast/key, or under $XDG_CONFIG_HOME. Throws Error{Usage} without a home folder.
std::string defaultKeyFile();

/// Writes a secret and a newline into a file that only its owner can read; creates the folder of the default
/// file. Never replaces a file: a lost key cannot be recovered. Throws Error{Usage}.
void writeKeyFile(const std::string& path, std::string_view secret);

/// Writes a newly generated key into a file. Throws as writeKeyFile() does.
void writeNewKey(const std::string& path);

}  // namespace verbcast
