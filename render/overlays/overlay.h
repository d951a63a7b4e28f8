// What is drawn over a stream's picture from the picture itself: in windows, kiosks and on displays without a
// desktop alike.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "render/overlays/overlay_names.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// Belongs to the OpenGL context that is current at construction, use and destruction. Leaves as little state
/// behind as StreamRenderer.
class Overlay {
  public:
    virtual ~Overlay() = default;
    /// Draws over the part of the bound framebuffer that shows the picture.
    virtual void draw(const ShownPicture& picture, const TargetPart& part) = 0;
};

/// The overlays of one picture. Belongs to the context as they do.
class Overlays {
  public:
    /// Draws those of kOverlayNames that are named, in that order. Throws Error{Display} if OpenGL cannot.
    void draw(const std::vector<std::string>& names, const StreamRenderer& renderer, const TargetPart& part);

  private:
    std::array<std::unique_ptr<Overlay>, kOverlayNames.size()> overlays_;  // made when first drawn
};

}  // namespace verbcast
