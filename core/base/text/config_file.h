// Where Verbcast keeps this user's files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace verbcast {

/// "~/.config/verbcast/NAME", or under $XDG_CONFIG_HOME (the XDG Base Directory Specification). nullopt if
/// there is no home directory. The folder may not exist yet.
std::optional<std::string> configFile(std::string_view name);

}  // namespace verbcast
