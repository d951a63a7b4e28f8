// The test patterns: what they look like and how they move.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "capture/pattern/canvas.h"

namespace verbcast {

enum class PatternKind { Bars, Gradient, Noise, Zone, Counter };

std::optional<PatternKind> patternByName(std::string_view name);
std::string_view patternKindName(PatternKind kind);

/// A distance in pixels, a multiple of the canvas steps.
struct PatternOffset {
    std::uint32_t x = 0, y = 0;
};

/// How far a frame's rectangle moves over the canvas: a canvas is that much larger than a frame.
PatternOffset patternReach(PatternKind kind);

/// Where the rectangle of frame `index` begins; within the reach. A function of the index alone.
PatternOffset patternOffset(PatternKind kind, std::uint64_t index);

/// Draws the canvas for frames of that size.
RowPainter patternPainter(PatternKind kind, std::uint32_t width, std::uint32_t height);

}  // namespace verbcast
