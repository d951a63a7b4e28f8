// Draws digits into frames: a counter and a time code.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "capture/pattern/canvas.h"

namespace verbcast {

/// The digits and the colon as small canvases of 5 x 7 dots. Immutable after construction.
class DigitFont {
  public:
    /// `scale` is pixels per dot.
    DigitFont(PixelFormat pixelFormat, std::uint32_t scale);

    static constexpr std::uint32_t kCellWidth = 6;   // dots, spacing included; a multiple of kCanvasStepX
    static constexpr std::uint32_t kCellHeight = 8;  // dots; a multiple of kCanvasStepY

    std::uint32_t cellWidth() const { return kCellWidth * scale_; }
    std::uint32_t cellHeight() const { return kCellHeight * scale_; }

    /// Skips characters other than digits and ':'. (x, y) is rounded down to the canvas steps.
    void write(std::string_view text, const VideoFormat& frame, std::byte* payload, std::uint32_t x,
               std::uint32_t y) const;

  private:
    std::uint32_t scale_;
    std::array<std::unique_ptr<Canvas>, 11> cells_;
};

}  // namespace verbcast
