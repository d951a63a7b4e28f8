// Pictures drawn once in RGB and kept in a stream's pixel format, to copy rows from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/video/video_format.h"

namespace verbcast {

/// One row of gamma-encoded RGB, each component from 0 to 1.
struct RgbRow {
    std::span<float> red, green, blue;
};
/// Fills row `y` completely.
using RowPainter = std::function<void(std::uint32_t y, const RgbRow& row)>;

/// Positions in canvases and in frames that exchange rows are multiples of these, so that groups of pixels
/// and chroma samples of all formats (v210: 6, 4:2:2: 2) line up.
inline constexpr std::uint32_t kCanvasStepX = 6;
inline constexpr std::uint32_t kCanvasStepY = 2;

/// The colour of canvases in a pixel format: RGB full range, YUV BT.709 limited range with left-sited chroma,
/// gray full range.
Colour canvasColour(PixelFormat pixelFormat);

/// A picture of any size. Immutable after construction, so threads may share it.
class Canvas {
  public:
    /// Paints all rows, top to bottom, on the calling thread.
    Canvas(PixelFormat pixelFormat, std::uint32_t width, std::uint32_t height, const RowPainter& paint);

    std::uint32_t width() const { return layout_.width; }
    std::uint32_t height() const { return layout_.height; }

    /// Fills a whole frame from the canvas's rectangle at (x, y). The canvas must extend at least kSlack
    /// pixels past the frame's right edge and two rows past its lower edge.
    void copyFrame(std::uint32_t x, std::uint32_t y, const VideoFormat& frame, std::byte* payload) const;

    /// Copies the whole canvas, whose size is a multiple of the steps, to (x, y) of a frame, clipped.
    void blit(const VideoFormat& frame, std::byte* payload, std::uint32_t x, std::uint32_t y) const;

    /// v210 rows are padded to 128 bytes, which is 48 pixels.
    static constexpr std::uint32_t kSlack = 48;

  private:
    const std::byte* at(std::size_t plane, std::uint32_t x, std::uint32_t y) const;

    VideoFormat layout_;
    std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace verbcast
