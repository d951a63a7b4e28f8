// Draws two pictures with a shader that combines them.
#pragma once

#include <epoxy/gl.h>

#include <utility>

#include "render/picture_target.h"
#include "render/placed_picture.h"
#include "render/shader_program.h"

namespace verbcast {

/// Thread-bound to the OpenGL context of the given renderers. Leaves as little state behind as they do.
class PicturePair {
  public:
    /// `program` covers the whole viewport. It reads the two pictures, as they would lie there, from plane0
    /// and plane1, and the viewport's origin from `origin`.
    explicit PicturePair(ShaderProgram program)
        : program_(std::move(program)), vertexArray_(GlVertexArray::create()) {}

    /// Draws into the bound framebuffer. `setMore(program)` sets the program's other uniforms.
    template <typename SetMore>
    void draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part,
              const SetMore& setMore) {
        fill(first, second, part.area);
        const DrawScope scope(vertexArray_);
        const ClipScope clip(part);
        begin(part);
        setMore(program_);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }

  private:
    void fill(const PlacedPicture& first, const PlacedPicture& second, const TargetRect& area);
    void begin(const TargetPart& part);

    ShaderProgram program_;
    GlVertexArray vertexArray_;
    PictureTarget first_, second_;  // of the size of the part's area
    int width_ = 0, height_ = 0;
};

}  // namespace verbcast
