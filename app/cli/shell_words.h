// Splits and quotes command lines as a shell does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

/// Quotes text as one shell word: as it is, or in single quotes.
std::string shellQuoted(std::string_view word);
/// Quotes the words and joins them with spaces.
std::string shellQuoted(const std::vector<std::string>& words);
/// The same with ~/ for what lies in the user's home folder: for people to read and to copy.
std::string shellQuotedFromHome(const std::vector<std::string>& words);

/// Splits a line into words as a shell does: spaces, single and double quotes, backslashes. Variables and
/// other expansions are left as written. Throws Error{Usage} if a quote is not closed.
std::vector<std::string> shellWords(std::string_view line);

}  // namespace verbcast
