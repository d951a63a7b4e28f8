// Two pictures compared: what differs, drawn.
#pragma once

#include <memory>

#include "render/placed_picture.h"

namespace verbcast {

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
