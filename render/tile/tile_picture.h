// Draws a part of a picture on a wall's display: rotated, warped, faded at its edges, in matching colours.
#pragma once

#include <memory>

#include "render/stream_renderer.h"
#include "render/tile/tile_look.h"

namespace verbcast {

/// Thread-bound to the OpenGL context of the given renderers. Leaves as little state behind as they do.
class TilePicture {
  public:
    TilePicture();
    ~TilePicture();

    /// Draws the part `crop` of the renderer's picture, in stored pixels, into the bound framebuffer, with
    /// black around it; all black if there is no picture or the crop is empty. A display whose part is empty
    /// shows what it shows for black. The picture must have square pixels and no rotation. Pixels are exact
    /// if shown one to one without colour changes.
    void draw(StreamRenderer& picture, const TileCrop& crop, const TileLook& look, const TargetPart& part);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
