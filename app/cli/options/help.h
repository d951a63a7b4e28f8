// The text of --help.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

/// For a terminal of that many columns. `everything`: also what is seldom needed.
std::string helpText(const Command& command, bool everything, std::size_t columns);
/// Columns of the terminal that standard output is; 100 if it is none.
std::size_t helpColumns();

}  // namespace verbcast
