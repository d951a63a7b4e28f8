// Every key that --stats-json writes for a stream, with its unit and meaning, in Markdown.
#pragma once

#include <string>

namespace verbcast {

/// Walks the lists of fields in core/stats. Throws std::runtime_error for a field without a meaning and for a
/// meaning without a field.
std::string statisticsSection();

}  // namespace verbcast
