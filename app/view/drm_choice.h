// Connectors of graphics cards and modes of displays as they are typed.
#pragma once

#include <string>
#include <vector>

#include "render/kms/display_mode.h"

namespace verbcast {

/// Of an option's value "HDMI-A-1,card1-DP-2"; "" is none. Throws Error{Usage} for an empty name among
/// several.
std::vector<std::string> namesOf(const char* option, const std::string& text);

/// "1920x1080" or "1920x1080@59.94". Throws Error{Usage}.
ModeWish parseMode(const std::string& text);

}  // namespace verbcast
