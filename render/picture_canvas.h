// A picture that is made of pictures, drawn off-screen.
#pragma once

#include <cstdint>

#include "render/gl/picture_target.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// Thread-bound to the OpenGL context current at construction. Rows are stored from the top. Rectangles are
/// in pixels of the canvas and may reach out of it.
class PictureCanvas {
  public:
    /// Throws Error{Display} if the driver cannot draw at this size.
    PictureCanvas(std::uint32_t width, std::uint32_t height, TargetPixels pixels);

    int width() const { return width_; }
    int height() const { return height_; }
    GLuint framebuffer() const { return target_.framebuffer(); }
    GLuint texture() const { return target_.texture(); }

    /// Directs drawing here, and fills all of it. RGB 0..1.
    void begin(const float (&colour)[3]);
    /// Directs drawing here, over what is there.
    void goOn();
    /// For StreamRenderer. Where a picture has brought its own alpha, call makeOpaque() when all is drawn.
    TargetPart part(const TargetRect& area, const TargetRect& clip) const;
    void makeOpaque(const TargetRect& area);
    void fill(const TargetRect& area, const float (&colour)[3]);
    /// Lines along the inside of the area's edges.
    void frame(const TargetRect& area, int thickness, const float (&colour)[3]);
    /// Darkens: an opacity of 1 is black.
    void dim(const TargetRect& area, float opacity);

  private:
    int width_, height_;
    PictureTarget target_;
    StreamRenderer black_;
};

}  // namespace verbcast
