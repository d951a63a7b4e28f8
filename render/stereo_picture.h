// The pictures of two eyes, for displays and glasses that bring each to its own.
#pragma once

#include <memory>

#include "render/placed_picture.h"

namespace verbcast {

enum class StereoWay {
    Anaglyph,  ///< red for the left eye, cyan for the right one: one picture of both (Dubois' matrices)
    Rows,      ///< the screen's even rows, from 0 at its top, are the left eye's, the odd ones the right's
    Halves,    ///< each squeezed to half of the width, left and right
};

/// Thread-bound to the OpenGL context of the renderers that it is given. Leaves as little state behind as
/// they do.
class StereoPicture {
  public:
    StereoPicture();
    ~StereoPicture();

    /// Both in the same part of the bound framebuffer; black where there is no picture. `firstRow`: the row
    /// of the screen, from its top, that is the first of the part's area.
    void draw(const PlacedPicture& left, const PlacedPicture& right, const TargetPart& part, StereoWay way,
              int firstRow = 0);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

enum class EyeBuffer { Left, Right, Both };

/// In a window with stereo buffers: whose is drawn from now on. Both at first.
void drawForEye(EyeBuffer eye);

}  // namespace verbcast
