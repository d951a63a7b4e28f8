// The target of a scene: colour and depth, multisampled if the hardware can, and a framebuffer to read.
#pragma once

#include <cstdint>

#include "render/gl/gl_handles.h"

namespace verbcast {

/// The larger picture that a target is a part of, in pixels.
struct SceneCanvas {
    std::uint32_t width = 0, height = 0;
    std::uint32_t x = 0, y = 0;  ///< the target's top left corner
    friend bool operator==(const SceneCanvas&, const SceneCanvas&) = default;
};

/// How the picture's pixels are stored.
enum class ScenePixels {
    Fastest,  ///< as most screens have them, where nothing is resolved from samples
    Rgba8,    ///< GL_RGBA8
};

/// Thread-bound to the OpenGL context current at construction.
class SceneTarget {
  public:
    /// `samples` of 0 or 1 means no multisampling; more than the driver has means its maximum. Throws
    /// Error{Display} if the driver cannot draw at this size.
    SceneTarget(std::uint32_t width, std::uint32_t height, int samples);
    /// A part of that canvas: everything is drawn, and clipped to the part.
    SceneTarget(std::uint32_t width, std::uint32_t height, int samples, const SceneCanvas& canvas,
                ScenePixels pixels = ScenePixels::Fastest);

    std::uint32_t width() const { return width_; }
    std::uint32_t height() const { return height_; }
    const SceneCanvas& canvas() const { return canvas_; }

    /// Directs drawing here from now on.
    void bind();
    /// Ends the drawing: framebuffer() then holds the picture.
    void resolve();
    GLuint framebuffer() const { return samples_ > 0 ? resolved_.get() : drawn_.get(); }
    GLuint texture() const { return picture_.get(); }  ///< where framebuffer() has its colours

  private:
    std::uint32_t width_, height_;
    SceneCanvas canvas_;
    GLint samples_ = 0;
    GlRenderbuffer sampledColour_, depth_;
    GlTexture picture_;
    GlFramebuffer drawn_, resolved_;
};

}  // namespace verbcast
