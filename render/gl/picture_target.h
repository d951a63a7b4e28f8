// Targets for pictures besides the caller's framebuffer, and the OpenGL state that drawing needs.
#pragma once

#include <epoxy/gl.h>

#include <cstdint>

#include "render/gl/gl_handles.h"
#include "render/gl/target_part.h"

namespace verbcast {

/// Restores the framebuffers and the viewport.
class TargetScope {
  public:
    TargetScope();
    ~TargetScope();
    TargetScope(const TargetScope&) = delete;
    TargetScope& operator=(const TargetScope&) = delete;

  private:
    GLint draw_ = 0, read_ = 0;
    GLint viewport_[4] = {};
};

/// Sets the state that drawing needs, whatever the caller had, and leaves none behind.
class DrawScope {
  public:
    explicit DrawScope(const GlVertexArray& vertexArray);
    ~DrawScope();
    DrawScope(const DrawScope&) = delete;
    DrawScope& operator=(const DrawScope&) = delete;
};

/// Limits drawing and clearing to the part's clip; free if that is the whole target.
class ClipScope {
  public:
    explicit ClipScope(const TargetPart& part);
    ~ClipScope() { glDisable(GL_SCISSOR_TEST); }
    ClipScope(const ClipScope&) = delete;
    ClipScope& operator=(const ClipScope&) = delete;
};

/// How a target stores its pixels.
enum class TargetPixels {
    Fastest,  ///< 8 bits, as most screens have them: what drivers draw, copy and read back fastest
    Rgba8,    ///< GL_RGBA8, which a GPU's copies need
    TenBits,  ///< GL_RGB10_A2
};

/// A texture that can be drawn into.
class PictureTarget {
  public:
    PictureTarget() = default;
    /// Throws Error{Display} if the driver cannot draw into this size.
    PictureTarget(std::uint32_t width, std::uint32_t height, TargetPixels pixels);
    explicit operator bool() const { return static_cast<bool>(texture_); }
    GLuint texture() const { return texture_.get(); }
    GLuint framebuffer() const { return framebuffer_.get(); }

  private:
    GlTexture texture_;
    GlFramebuffer framebuffer_;
};

}  // namespace verbcast
