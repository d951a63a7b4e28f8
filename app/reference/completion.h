// Generates shell completion of verbcast's command line: commands, options, and known values.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

// The file that each shell looks for: completions/verbcast, _verbcast, verbcast.fish.

std::string bashCompletion(const Command& verbcast);
std::string zshCompletion(const Command& verbcast);
std::string fishCompletion(const Command& verbcast);

/// The command line up to a command, without the program's name, as the scripts compare it: "", " pipe send".
inline std::string pathOf(const Command& command) {
    return command.parent() == nullptr ? "" : pathOf(*command.parent()) + " " + command.name();
}

}  // namespace verbcast
