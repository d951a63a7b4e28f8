// Generates docs/reference.md: every option, every key of the statistics, exit codes.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

/// In Markdown. Throws std::runtime_error if something lacks its explanation, or an explanation its subject.
std::string referencePage(const Command& verbcast);

}  // namespace verbcast
