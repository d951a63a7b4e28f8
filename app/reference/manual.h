// Generates manual pages (troff, man(7) macros) of commands.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

/// The page of one command. Its subcommands have their own pages, named command.path("-").
std::string manualPage(const Command& command, const std::string& version);

}  // namespace verbcast
