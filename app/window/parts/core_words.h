// What the core and --help say, in the language of the window.
#pragma once

#include <QString>
#include <span>
#include <string_view>

namespace verbcast {

/// The core's text in the user's language, where coreWords() has it; as it is otherwise.
QString inWindowLanguage(std::string_view text);

/// The core's texts that can be translated, in English. One with %1 stands for all that begin like it.
std::span<const char* const> coreWords();

}  // namespace verbcast
