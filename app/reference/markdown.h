// Text as Markdown.
#pragma once

#include <cstddef>
#include <string>

namespace verbcast {

/// So that it is shown as it is.
std::string markdownText(const std::string& text);
/// At most 120 columns; code in backticks stays in one line. Lines after the first begin with `indent`
/// spaces.
std::string markdownLines(const std::string& text, std::size_t indent = 0);

}  // namespace verbcast
