// What is wrong with the settings of a page, in the words of the page.
#pragma once

#include <QString>
#include <exception>

#include "app/window/parts/message_overlay.h"

namespace verbcast {

/// In the words of the windows. Alarming unless something has only still to be chosen.
Message settingsProblem(const std::exception& error);

}  // namespace verbcast
