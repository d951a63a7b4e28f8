// Splits and quotes command lines as a shell does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

/// The text as one word of a shell: as it is, or in single quotes.
std::string shellQuoted(std::string_view word);
/// The words with spaces between.
std::string shellQuoted(const std::vector<std::string>& words);

/// Cuts a line into words as a shell does: spaces, single and double quotes, backslashes. Variables and other
/// expansions stay as they are written. Throws Error{Usage} for a quote that is not closed.
std::vector<std::string> shellWords(std::string_view line);

}  // namespace verbcast
