// Translates texts of the core and --help into the window's language.
#pragma once

#include <QString>
#include <span>
#include <string_view>

namespace verbcast {

/// Translates a text of the core if coreWords() has it; else returns it unchanged.
QString inWindowLanguage(std::string_view text);

/// With a capital at the beginning, and no space there or at the end.
QString sentence(const QString& words);

/// The core's translatable texts, in English. One with %1 stands for all texts that begin like it.
std::span<const char* const> coreWords();

}  // namespace verbcast
