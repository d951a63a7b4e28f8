// Checks a wall as a whole, when its parts are right one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/wall/wall.h"

namespace verbcast {

/// Returns a sentence for each problem: rectangles that leave the canvas, duplicate names, overlaps without
/// blending and blending without overlap, corners that make no picture, parts of the canvas on no display,
/// sources that overlap or leave a display without a picture. At most kMaxDisplays displays and kMaxSources
/// sources.
std::vector<std::string> findingsOf(const Wall& wall);

/// Why a picture with these corners cannot be drawn (they fold it, mirror it or flatten it to a line), or
/// nullopt.
std::optional<std::string> cornersProblem(const ScreenCorners& corners);

/// Percentage of the canvas that no display shows; 0 if every pixel is shown.
double hiddenPercent(const Wall& wall);

}  // namespace verbcast
