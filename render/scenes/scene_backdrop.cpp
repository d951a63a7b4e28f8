#include "render/scenes/scene_backdrop.h"

namespace verbcast {
namespace {

// Light is computed at the corners of a grid, which suffices for something so smooth.
constexpr GLsizei kColumns = 8, kRows = 16;

}  // namespace

SceneBackdrop::SceneBackdrop(const Light& haze, const Light& deep, bool keep)
    : keep_(keep),
      program_({"scene_tone.glsl", "scene_backdrop.vert"}, {"scene_backdrop.frag"}),
      horizon_(program_.uniform("horizon")),
      corner_(program_.uniform("corner")) {
    program_.use();
    glUniform2i(program_.uniform("grid"), kColumns, kRows);
    glUniform3fv(program_.uniform("hazeColour"), 1, haze.data());
    glUniform3fv(program_.uniform("deepColour"), 1, deep.data());
    glUseProgram(0);
}

void SceneBackdrop::shade(const SceneTarget& target, float horizon) const {
    glDisable(GL_DEPTH_TEST);
    program_.use();
    glUniform1f(horizon_, horizon);
    glUniform2f(corner_, static_cast<GLfloat>(target.canvas().x), static_cast<GLfloat>(target.canvas().y));
    glBindVertexArray(vertexArray_.get());
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 2 * (kColumns + 1), kRows);
}

void SceneBackdrop::draw(SceneTarget& target, float horizon) {
    if (!keep_) {
        target.bind();
        shade(target, horizon);
        return;
    }
    const bool fits = kept_ && kept_->width() == target.width() && kept_->height() == target.height() &&
                      kept_->canvas() == target.canvas();
    if (!fits || keptHorizon_ != horizon) {
        if (!fits) {
            kept_ = std::make_unique<SceneTarget>(target.width(), target.height(), 0, target.canvas());
        }
        kept_->bind();
        shade(target, horizon);
        keptHorizon_ = horizon;
    }
    target.bind();
    const auto width = static_cast<GLint>(target.width()), height = static_cast<GLint>(target.height());
    glBindFramebuffer(GL_READ_FRAMEBUFFER, kept_->framebuffer());
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    target.bind();
}

}  // namespace verbcast
