// Describes what is wrong with a page's settings.
#pragma once

#include <QString>
#include <exception>

#include "app/window/parts/message_overlay.h"

namespace verbcast {

/// In the windows' words. Alarming unless a setting is merely still to be chosen.
Message settingsProblem(const std::exception& error);

}  // namespace verbcast
