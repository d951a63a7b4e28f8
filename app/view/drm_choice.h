// Parses connectors of graphics cards and display modes from the command line.
#pragma once

#include <string>
#include <vector>

#include "render/kms/display_mode.h"

namespace verbcast {

/// Splits an option's value such as "HDMI-A-1,card1-DP-2"; none for "". Throws Error{Usage} if one of several
/// names is empty.
std::vector<std::string> namesOf(const char* option, const std::string& text);

/// "1920x1080" or "1920x1080@59.94". Throws Error{Usage}.
ModeWish parseMode(const std::string& text);

}  // namespace verbcast
