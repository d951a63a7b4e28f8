// Files that hold a key: where, and how a new one is written.
#pragma once

#include <string>
#include <string_view>

namespace verbcast {

/// ~/.config/verbcast/key, or under $XDG_CONFIG_HOME. Throws Error{Usage} where there is no home.
std::string defaultKeyFile();

/// Writes a secret and a line end into a file that only its owner can read, and makes the folder of the
/// default one. Never replaces a file: a key that is gone cannot be had again. Throws Error{Usage}.
void writeKeyFile(const std::string& path, std::string_view secret);

/// Puts a key that was never there before into a file. Throws as writeKeyFile() does.
void writeNewKey(const std::string& path);

}  // namespace verbcast
