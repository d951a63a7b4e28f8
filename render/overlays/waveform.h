// A waveform monitor: how often each code value occurs in each column of the picture.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/video/video_format.h"
#include "render/gl/gl_handles.h"
#include "render/gl/shader_program.h"
#include "render/overlays/overlay.h"

namespace verbcast {

/// Counts code values on the GPU, at the stream's full depth: 256 or 1024 levels.
class WaveformCounts {
  public:
    static constexpr std::uint32_t kMostColumns = 2048;
    /// 1920x1200; of a larger picture only every second (third, ...) column and row is counted. A driver that
    /// draws in software takes some 200 ns for each.
    static constexpr std::uint64_t kMostSamples = 2'304'000, kMostInSoftware = 144'000;

    WaveformCounts();

    /// Counts that picture, unless it has done so already. Leaves the framebuffer and the viewport as they
    /// were.
    void count(const ShownPicture& picture);

    // Of the picture counted last:
    /// One 32-bit float: texel (column, code) says how many of the column's pixels have that code. Above the
    /// rows of R' lie those of G', then of B'.
    GLuint texture() const { return texture_.get(); }
    std::uint32_t columns() const { return columns_; }
    std::uint32_t levels() const { return levels_; }
    int components() const { return components_; }  ///< Y', or R', G' and B'
    /// Pixels counted in each column, on average.
    double perColumn() const;

  private:
    void fit(const VideoFormat& format);
    const ShaderProgram& programFor(PixelFormat format);

    GlVertexArray vertexArray_;
    std::map<PixelFormat, ShaderProgram> programs_;
    std::optional<VideoFormat> format_;
    std::uint64_t counted_ = 0;  // ShownPicture::number
    GlTexture texture_;
    GlFramebuffer framebuffer_;
    std::uint32_t columns_ = 0, levels_ = 0;
    std::uint32_t step_ = 1, across_ = 0, down_ = 0;  // every step_-th pixel: so many samples
    int components_ = 1;
};

/// A panel at the picture's bottom right: columns from left to right, codes from the bottom to the top, with
/// lines at 0, 25, 50, 75 and 100 % of the nominal range. Brightness of Y'CbCr and gray, else all three
/// colours over each other.
class Waveform final : public Overlay {
  public:
    Waveform();
    void draw(const ShownPicture& picture, const TargetPart& part) override;

  private:
    WaveformCounts counts_;
    ShaderProgram program_;
    GlVertexArray vertexArray_;
};

}  // namespace verbcast
