// Generates manual pages (troff, man(7) macros) of commands.
#pragma once

#include <string>

#include "app/reference/command_reference.h"

namespace verbcast {

/// The page of one command. Its subcommands have their own pages, named command.joined("-").
std::string manualPage(const CommandReference& command, const std::string& version);

}  // namespace verbcast
