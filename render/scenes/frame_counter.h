// Draws the frame number in the corner of a picture.
#pragma once

#include <cstdint>

#include "render/gl/gl_handles.h"
#include "render/gl/shader_program.h"

namespace verbcast {

/// Thread-bound to the OpenGL context current at construction.
class FrameCounter {
  public:
    FrameCounter();

    /// Draws the last six digits into the picture's lower left, in the bound framebuffer of this size, whose
    /// row 0 is the picture's top. Leaves blending and depth test off.
    void draw(std::uint64_t number, std::uint32_t width, std::uint32_t height) const;

  private:
    GlTexture glyphs_;
    GlVertexArray vertexArray_ = GlVertexArray::create();
    ShaderProgram program_;
    GLint rectangle_, digits_;
};

}  // namespace verbcast
