// What is behind everything in a scene.
#pragma once

#include <array>
#include <memory>

#include "render/gl_handles.h"
#include "render/scenes/scene_target.h"
#include "render/shader_program.h"

namespace verbcast {

/// Linear light: red, green, blue.
using Light = std::array<float, 3>;

/// Haze that glows at the horizon. Thread-bound like the OpenGL context that is current when it is made.
class SceneBackdrop {
  public:
    /// `keep`: keeps the picture of the last horizon and copies it while that stays the same. Software OpenGL
    /// copies memory much faster than it shades.
    SceneBackdrop(const Light& haze, const Light& deep, bool keep);

    /// Fills the colour of the target, which is bound afterwards; its depth stays as it is. `horizon` is a
    /// height in clip space.
    void draw(SceneTarget& target, float horizon);

  private:
    void shade(const SceneTarget& target, float horizon) const;

    const bool keep_;
    ShaderProgram program_;
    GlVertexArray vertexArray_;
    GLint horizon_, corner_;
    std::unique_ptr<SceneTarget> kept_;  // null: nothing is kept yet, or nothing is to be
    float keptHorizon_ = 0;
};

}  // namespace verbcast
