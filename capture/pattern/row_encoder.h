// Converts rows of RGB to a picture in any of our pixel formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture/pattern/canvas.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Rows must come in order, from the top. Chroma is sited left: horizontally filtered (1 2 1)/4 at even
/// pixels, and for 4:2:0 averaged over two rows.
class RowEncoder {
  public:
    /// `layout` gives size, pixel format and planes; it must outlive the encoder.
    RowEncoder(const VideoFormat& layout, const Colour& colour);

    /// Encodes row `y` into the picture at `payload`. A 4:2:0 chroma row is written with its second luma row,
    /// or with the last row of a picture of odd height.
    void encode(std::uint32_t y, const RgbRow& row, std::byte* payload);

  private:
    void encodeRgb(const RgbRow& row, std::byte* out) const;
    void convert(const RgbRow& row);
    void subsample(std::uint32_t y);
    void store(std::uint32_t y, std::byte* payload) const;
    void storePacked422(std::byte* out) const;
    std::byte* rowOf(std::byte* payload, std::size_t plane, std::uint32_t row) const;
    bool endsChromaRow(std::uint32_t y) const;

    const VideoFormat& layout_;
    const PixelFormatInfo& info_;
    Colour colour_;
    std::uint32_t chromaWidth_;
    std::vector<float> cb_, cr_;                    // of one row, one per pixel, as code values
    std::vector<float> cbSum_, crSum_;              // sums over the rows of a chroma row so far
    std::vector<std::uint16_t> luma_, blue_, red_;  // quantised
};

}  // namespace verbcast
