// What verbcast-reference writes, from the same descriptions that parse a command line.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

/// A manual page (troff, man(7) macros) of one command. Its subcommands have their own, named
/// command.path("-").
std::string manualPage(const Command& command, const std::string& version);

/// docs/reference.md: every option, every key of the statistics, exit codes. Throws std::runtime_error if
/// something lacks its explanation, or an explanation its subject.
std::string referencePage(const Command& verbcast);

// Completion of commands, options, and known values. The file that each shell looks for:
// completions/verbcast, _verbcast, verbcast.fish.

std::string bashCompletion(const Command& verbcast);
std::string zshCompletion(const Command& verbcast);
std::string fishCompletion(const Command& verbcast);

/// The command line up to a command, without the program's name, as the scripts compare it: "", " pipe send".
inline std::string pathOf(const Command& command) {
    return command.parent() == nullptr ? "" : pathOf(*command.parent()) + " " + command.name();
}

}  // namespace verbcast
