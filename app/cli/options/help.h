// The text of --help.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

/// For the terminal that standard output is. `everything`: also what is seldom needed.
std::string helpText(const Command& command, bool everything);
/// Breaks text between words; its own line breaks stay. Lines after the first begin with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns);

}  // namespace verbcast
