// The looks and movements of the test patterns.
#pragma once

#include <cstdint>
#include <string_view>

#include "capture/pattern/canvas.h"

namespace verbcast {

enum class PatternKind { Bars, Gradient, Noise, Zone, Counter, Flash };

std::string_view patternKindName(PatternKind kind);

/// A distance in pixels, a multiple of the canvas steps.
struct PatternOffset {
    std::uint32_t x = 0, y = 0;
};

/// How far the frame's rectangle moves over the canvas, which is that much larger than a frame.
PatternOffset patternReach(PatternKind kind);

/// The position of frame `index`'s rectangle, within the reach. Depends on the index only.
PatternOffset patternOffset(PatternKind kind, std::uint64_t index);

/// Paints all pixels grey: 0 is black, 1 is white.
RowPainter plainPainter(float level);

/// Paints the canvas for frames of this size.
RowPainter patternPainter(PatternKind kind, std::uint32_t width, std::uint32_t height);

}  // namespace verbcast
