// Manual pages (troff, macros of man(7)) of commands.
#pragma once

#include <string>

#include "app/reference/command_reference.h"

namespace verbcast {

/// The page of one command. Its own commands have pages of theirs, named as command.joined("-").
std::string manualPage(const CommandReference& command, const std::string& version);

}  // namespace verbcast
