#include "render/scenes/scene_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "render/gl_handles.h"

namespace verbcast {
namespace {

GlRenderbuffer makeRenderbuffer(GLenum format, GLint samples, GLsizei width, GLsizei height) {
    auto buffer = GlRenderbuffer::create();
    glBindRenderbuffer(GL_RENDERBUFFER, buffer.get());
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    return buffer;
}

void attach(GLenum attachment, const GlRenderbuffer& buffer) {
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer.get());
}

}  // namespace

struct SceneTarget::State {
    GLint samples = 0;
    GlRenderbuffer colour, depth, resolvedColour;
    GlFramebuffer drawn, resolved;

    State(GLsizei width, GLsizei height, GLint wantedSamples);
};

SceneTarget::State::State(GLsizei width, GLsizei height, GLint wantedSamples) {
    GLint limit = 0, most = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    if (width > limit || height > limit) {
        throw Error(ErrorKind::Display,
                    fmt::format("this OpenGL driver draws at most {} pixels on a side, {}x{} is asked for",
                                limit, width, height),
                    "render a smaller picture (--size), or use another graphics driver");
    }
    samples = wantedSamples > 1 ? std::min(wantedSamples, most) : 0;
    colour = makeRenderbuffer(GL_RGBA8, samples, width, height);
    depth = makeRenderbuffer(GL_DEPTH_COMPONENT24, samples, width, height);
    drawn = GlFramebuffer::create();
    glBindFramebuffer(GL_FRAMEBUFFER, drawn.get());
    attach(GL_COLOR_ATTACHMENT0, colour);
    attach(GL_DEPTH_ATTACHMENT, depth);
    bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (samples > 0) {
        resolvedColour = makeRenderbuffer(GL_RGBA8, 0, width, height);
        resolved = GlFramebuffer::create();
        glBindFramebuffer(GL_FRAMEBUFFER, resolved.get());
        attach(GL_COLOR_ATTACHMENT0, resolvedColour);
        complete = complete && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (!complete) {
        throw Error(ErrorKind::Display,
                    fmt::format("the OpenGL driver cannot draw into {}x{} pixels with {} samples", width,
                                height, samples),
                    "render a smaller picture (--size)");
    }
}

SceneTarget::SceneTarget(std::uint32_t width, std::uint32_t height, int samples)
    : width_(width),
      height_(height),
      state_(std::make_unique<State>(static_cast<GLsizei>(width), static_cast<GLsizei>(height), samples)) {}

SceneTarget::~SceneTarget() = default;

void SceneTarget::bind() {
    glBindFramebuffer(GL_FRAMEBUFFER, state_->drawn.get());
    glViewport(0, 0, static_cast<GLsizei>(width_), static_cast<GLsizei>(height_));
}

void SceneTarget::resolve() {
    if (state_->samples > 0) {
        const auto width = static_cast<GLint>(width_), height = static_cast<GLint>(height_);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, state_->drawn.get());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, state_->resolved.get());
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

unsigned SceneTarget::framebuffer() const {
    return state_->samples > 0 ? state_->resolved.get() : state_->drawn.get();
}

}  // namespace verbcast
