// Two pictures drawn as one: their difference, or the pictures of two eyes.
#pragma once

#include <memory>
#include <string_view>

#include "render/stream_renderer.h"

namespace verbcast {

/// A picture and its placement in its part of a target.
struct PlacedPicture {
    StreamRenderer& picture;
    Placement placement;
};

/// Combines two pictures in a shader. Thread-bound to the OpenGL context of the given renderers. Leaves as
/// little state behind as they do.
class PicturePair {
  public:
    ~PicturePair();

  protected:
    /// `fragmentShader` reads the two pictures, as they would lie in the viewport, from plane0 and plane1,
    /// and the viewport's origin from `origin`.
    explicit PicturePair(std::string_view fragmentShader);

    struct State;
    std::unique_ptr<State> state_;
};

class PictureDifference : public PicturePair {
  public:
    PictureDifference();
    /// Draws the absolute differences of the components, times `gain`, into the bound framebuffer.
    void draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part, float gain);
};

enum class StereoWay {
    Anaglyph,  ///< one picture of both: red for the left eye, cyan for the right (Dubois' matrices)
    Rows,    ///< the screen's even rows, from 0 at its top, are for the left eye, the odd ones for the right
    Halves,  ///< side by side, each squeezed to half the width
};

/// For displays and glasses that separate the pictures of two eyes.
class StereoPicture : public PicturePair {
  public:
    StereoPicture();
    /// Draws both into the same part of the bound framebuffer, black where there is no picture. `firstRow` is
    /// the screen row, from the top, of the first row of the part's area.
    void draw(const PlacedPicture& left, const PlacedPicture& right, const TargetPart& part, StereoWay way,
              int firstRow = 0);
};

enum class EyeBuffer { Left, Right, Both };

/// Selects the eye's buffer to draw into, in a window with stereo buffers. Both at first.
void drawForEye(EyeBuffer eye);

}  // namespace verbcast
