// What is wrong with a wall whose parts are right one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/wall/wall.h"

namespace verbcast {

/// A sentence for each: rectangles that leave the canvas, names twice, overlaps that do not blend and blends
/// without an overlap, corners that make no picture, parts of the canvas that no display shows, sources that
/// overlap or leave a display without a picture. Displays number at most kMaxDisplays, sources kMaxSources.
std::vector<std::string> findingsOf(const Wall& wall);

/// Why a picture cannot be drawn with its corners there (they fold it, mirror it, or make it a line), or
/// nothing.
std::optional<std::string> cornersProblem(const ScreenCorners& corners);

/// The part of the canvas that no display shows, in percent; 0 where each pixel is shown.
double hiddenPercent(const Wall& wall);

}  // namespace verbcast
