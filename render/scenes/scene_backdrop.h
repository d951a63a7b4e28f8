// Draws the background of a scene.
#pragma once

#include <array>
#include <memory>

#include "render/gl/gl_handles.h"
#include "render/gl/shader_program.h"
#include "render/scenes/scene_target.h"

namespace verbcast {

/// Linear light: red, green, blue.
using Light = std::array<float, 3>;

/// Haze that glows at the horizon. Thread-bound to the OpenGL context current at construction.
class SceneBackdrop {
  public:
    /// With `keep`, keeps the picture of the last horizon and copies it while that stays the same: software
    /// OpenGL copies memory much faster than it shades.
    SceneBackdrop(const Light& haze, const Light& deep, bool keep);

    /// Fills the colour of the target, which is bound afterwards, not its depth. `horizon` is in clip space.
    void draw(SceneTarget& target, float horizon);

  private:
    void shade(const SceneTarget& target, float horizon) const;

    const bool keep_;
    ShaderProgram program_;
    GlVertexArray vertexArray_ = GlVertexArray::create();
    GLint horizon_, corner_;
    std::unique_ptr<SceneTarget> kept_;  // null: nothing kept yet, or not wanted
    float keptHorizon_ = 0;
};

}  // namespace verbcast
