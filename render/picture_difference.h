// Draws the difference of two pictures.
#pragma once

#include <memory>

#include "render/placed_picture.h"

namespace verbcast {

/// Thread-bound to the OpenGL context of the given renderers. Leaves as little state behind as they do.
class PictureDifference {
  public:
    PictureDifference();
    ~PictureDifference();

    /// Draws the absolute differences of the components, times `gain`, into the bound framebuffer.
    void draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part, float gain);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
