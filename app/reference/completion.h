// Generates shell completion of verbcast's command line: commands, options, and known values.
#pragma once

#include <string>

#include "app/reference/command_reference.h"

namespace verbcast {

// The file that each shell looks for: completions/verbcast, _verbcast, verbcast.fish.

std::string bashCompletion(const CommandReference& verbcast);
std::string zshCompletion(const CommandReference& verbcast);
std::string fishCompletion(const CommandReference& verbcast);

/// The command line up to a command, without the program's name, as the scripts compare it: "", " pipe send".
std::string pathOf(const CommandReference& command);
/// Whether a program and its arguments may follow "--".
bool takesProgram(const CommandReference& command);

}  // namespace verbcast
