// What is wrong with the settings of a page, in the words of the page.
#pragma once

#include <QString>
#include <exception>

#include "app/window/message_overlay.h"

namespace verbcast {

/// Alarming unless something has only still to be chosen.
Message settingsProblem(const std::exception& error);

/// Text of the programs, which speak of options, for people who see fields: "--size 12" becomes "Size 12".
QString inWindowWords(QString text);

}  // namespace verbcast
