// The large sections of docs/reference.md, in Markdown.
#pragma once

#include <string>

#include "app/cli/options/command.h"

namespace verbcast {

/// A heading for each command below `verbcast`. Options that several have in the same words come first, once.
std::string optionsSection(const Command& verbcast);
/// "verbcast-pipe-send": where that explains a command.
std::string anchorOf(const Command& command);

/// Every key that --stats-json writes for a stream, with its unit and meaning: walks the lists of fields in
/// core/stats. Throws std::runtime_error for a field without a meaning and for a meaning without a field.
std::string statisticsSection();

}  // namespace verbcast
