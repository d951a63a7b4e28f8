// A wall for people to look at.
#pragma once

#include <string>

#include "app/wall/wall.h"

namespace verbcast {

/// An SVG: the canvas, each display with its name, place and size, which way its screen is up, and what it
/// blends.
std::string wallDrawing(const Wall& wall);

}  // namespace verbcast
