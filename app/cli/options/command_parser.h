// Parses the words of a command line into the fields of a command's options.
#pragma once

#include "app/cli/options/command.h"

namespace verbcast {

/// Sets the fields of the options that are given, and marks what is given and chosen. `words` are those after
/// the program's name. Throws Error{Usage}.
void parseWords(Command& command, const std::vector<std::string>& words);

/// Throws Error{Usage}: there is no command of that name.
[[noreturn]] void refuseCommand(const Command& command, const std::string& name);

/// The command that words begin with, "pipe", "send": `command` itself if they name none.
const Command& commandOf(const Command& command, const std::vector<std::string>& words);

}  // namespace verbcast
