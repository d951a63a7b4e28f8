// Combines the pictures of two eyes for displays and glasses that separate them.
#pragma once

#include <memory>

#include "render/placed_picture.h"

namespace verbcast {

enum class StereoWay {
    Anaglyph,  ///< one picture of both: red for the left eye, cyan for the right (Dubois' matrices)
    Rows,    ///< the screen's even rows, from 0 at its top, are for the left eye, the odd ones for the right
    Halves,  ///< side by side, each squeezed to half the width
};

/// Thread-bound to the OpenGL context of the given renderers. Leaves as little state behind as they do.
class StereoPicture {
  public:
    StereoPicture();
    ~StereoPicture();

    /// Draws both into the same part of the bound framebuffer, black where there is no picture. `firstRow` is
    /// the screen row, from the top, of the first row of the part's area.
    void draw(const PlacedPicture& left, const PlacedPicture& right, const TargetPart& part, StereoWay way,
              int firstRow = 0);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

enum class EyeBuffer { Left, Right, Both };

/// Selects the eye's buffer to draw into, in a window with stereo buffers. Both at first.
void drawForEye(EyeBuffer eye);

}  // namespace verbcast
