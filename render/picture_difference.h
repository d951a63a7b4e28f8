// Two pictures compared: what differs, drawn.
#pragma once

#include <memory>

#include "render/stream_renderer.h"

namespace verbcast {

/// A picture and where it lies in its part of a target.
struct PlacedPicture {
    StreamRenderer& picture;
    Placement placement;
};

/// Thread-bound to the OpenGL context of the renderers that it is given. Leaves as little state behind as
/// they do.
class PictureDifference {
  public:
    PictureDifference();
    ~PictureDifference();

    /// The components' differences without their sign, `gain` times as large, into the bound framebuffer.
    void draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part, float gain);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
