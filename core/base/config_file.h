// Where this user's own files of ours are kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace verbcast {

/// "~/.config/verbcast/NAME", or under $XDG_CONFIG_HOME (the XDG Base Directory Specification). Nothing where
/// there is no home. The folder may not be there yet.
std::optional<std::string> configFile(std::string_view name);

}  // namespace verbcast
