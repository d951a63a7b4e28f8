// A part of a picture on a display of a wall: turned, warped, faded at its edges, in the display's colours.
#pragma once

#include <memory>

#include "core/video/frame_info.h"
#include "render/stream_renderer.h"
#include "render/tile/tile_look.h"

namespace verbcast {

/// Thread-bound to the OpenGL context of the renderers that it is given. Leaves as little state behind as
/// they do.
class TilePicture {
  public:
    TilePicture();
    ~TilePicture();

    /// The part `crop` of the renderer's picture, in pixels as they are stored, into the bound framebuffer;
    /// black around it. Nothing but black where there is no picture, or the part is empty. The picture has
    /// square pixels and is not turned. Pixels are those of the picture where they are shown one for one and
    /// nothing is done to their colour.
    void draw(StreamRenderer& picture, const FrameRect& crop, const TileLook& look, const TargetPart& part);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
