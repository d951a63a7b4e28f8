// Draws a wall for people to look at.
#pragma once

#include <string>

#include "app/wall/wall.h"

namespace verbcast {

/// Returns an SVG: the canvas and each display with its name, place, size, screen orientation and blending.
std::string wallDrawing(const Wall& wall);

}  // namespace verbcast
