// The options of every command, in Markdown.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

/// "verbcast-pipe-send": where the page explains a command.
std::string anchorOf(const Command& command);
/// A heading for each command below `verbcast`. Options that several have in the same words come first, once.
std::string optionsSection(const Command& verbcast);

}  // namespace verbcast
