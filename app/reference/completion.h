// Completion of verbcast's command line by shells: commands, options, and values where they are known.
#pragma once

#include <string>

#include "app/reference/command_reference.h"

namespace verbcast {

// Each is the file that its shell looks for: completions/verbcast, _verbcast, verbcast.fish.

std::string bashCompletion(const CommandReference& verbcast);
std::string zshCompletion(const CommandReference& verbcast);
std::string fishCompletion(const CommandReference& verbcast);

/// The command line up to a command, without the program's name, as the scripts compare it: "", " pipe send".
std::string pathOf(const CommandReference& command);
/// Whether a program and its arguments may follow, behind "--".
bool takesProgram(const CommandReference& command);

}  // namespace verbcast
