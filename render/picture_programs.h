// The shader programs for one kind of picture, created on first use and kept.
#pragma once

#include <array>
#include <map>
#include <tuple>

#include "render/colour.h"
#include "render/gl/shader_program.h"

namespace verbcast {

class PictureProgram {
  public:
    enum class Job {
        Convert,      ///< convert.frag: exact, over the whole target
        Draw,         ///< draw.frag: interpolated, at any position
        DrawNearest,  ///< draw_nearest.frag: enlarged, not interpolated
        DrawAlpha,    ///< draw_alpha.frag: draw.frag with the picture's own alpha; for packed formats with it
    };
    PictureProgram(PixelFormat pixelFormat, ColourPath path, Job job);

    /// Makes the program current and sets the picture's uniforms.
    void use(const VideoFormat& format, const ColourPlan& plan,
             const std::array<float, 9>& pictureToClip) const;
    /// For DrawAlpha, while it is current.
    void setOpacity(float opacity) const;

  private:
    ShaderProgram program_;
};

class PictureProgramCache {
  public:
    const PictureProgram& get(PixelFormat pixelFormat, ColourPath path, PictureProgram::Job job);

  private:
    using Key = std::tuple<PixelFormat, ColourPath, PictureProgram::Job>;
    std::map<Key, PictureProgram> programs_;
};

}  // namespace verbcast
