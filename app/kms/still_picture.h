// The picture shown without a signal.
#pragma once

#include <string>

#include "render/stream_renderer.h"

namespace verbcast {

/// Belongs to the OpenGL context that is current at construction and use.
class StillPicture {
  public:
    /// A PNG or JPEG file; "": black. Throws Error{Input}.
    explicit StillPicture(const std::string& path);

    /// Draws it as large as fits, keeping its aspect ratio, on black, over what is there.
    void drawOver(int targetWidth, int targetHeight, double opacity);

  private:
    StreamRenderer black_;
    StreamRenderer still_;
};

}  // namespace verbcast
