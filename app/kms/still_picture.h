// The picture that is shown without a signal.
#pragma once

#include <string>

#include "render/stream_renderer.h"

namespace verbcast {

/// Belongs to the OpenGL context that is current when it is made and used.
class StillPicture {
  public:
    /// A PNG or JPEG file, or "": black. Throws Error{Input}.
    explicit StillPicture(const std::string& path);

    /// As large as fits, with its own shape, on black, over what is there.
    void drawOver(int targetWidth, int targetHeight, double opacity);

  private:
    StreamRenderer black_;
    StreamRenderer still_;
};

}  // namespace verbcast
