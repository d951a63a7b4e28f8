#include "render/scenes/scene_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "render/gl_handles.h"
#include "render/plane_textures.h"

namespace verbcast {
namespace {

GlRenderbuffer makeRenderbuffer(GLenum format, GLint samples, GLsizei width, GLsizei height) {
    auto buffer = GlRenderbuffer::create();
    glBindRenderbuffer(GL_RENDERBUFFER, buffer.get());
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    return buffer;
}

/// A picture resolved from samples has their format, as OpenGL 3.3 requires. Otherwise its bytes are in the
/// order of most screens, so that a viewer need only copy them; in a renderbuffer the driver would choose.
GlTexture makePicture(bool rgba, GLsizei width, GLsizei height) {
    auto texture = rgba ? makeTexture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height)
                        : makeTexture(GL_RGBA, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, width, height);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

void attach(GLenum attachment, const GlRenderbuffer& buffer) {
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer.get());
}

}  // namespace

struct SceneTarget::State {
    GLint samples = 0;
    GlRenderbuffer sampledColour, depth;
    GlTexture picture;
    GlFramebuffer drawn, resolved;

    State(GLsizei width, GLsizei height, GLint wantedSamples, ScenePixels pixels);
};

SceneTarget::State::State(GLsizei width, GLsizei height, GLint wantedSamples, ScenePixels pixels) {
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
    picture = makePicture(samples > 0 || pixels == ScenePixels::Rgba8, width, height);
    depth = makeRenderbuffer(GL_DEPTH_COMPONENT32F, samples, width, height);
    const auto complete = [] { return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE; };
    drawn = GlFramebuffer::create();
    glBindFramebuffer(GL_FRAMEBUFFER, drawn.get());
    attach(GL_DEPTH_ATTACHMENT, depth);
    bool drawable = true;
    if (samples > 0) {
        sampledColour = makeRenderbuffer(GL_RGBA8, samples, width, height);
        attach(GL_COLOR_ATTACHMENT0, sampledColour);
        drawable = complete();
        resolved = GlFramebuffer::create();
        glBindFramebuffer(GL_FRAMEBUFFER, resolved.get());
    }
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture.get(), 0);
    drawable = drawable && complete();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (!drawable) {
        throw Error(ErrorKind::Display,
                    fmt::format("the OpenGL driver cannot draw into {}x{} pixels with {} samples", width,
                                height, samples),
                    "render a smaller picture (--size)");
    }
}

SceneTarget::SceneTarget(std::uint32_t width, std::uint32_t height, int samples)
    : SceneTarget(width, height, samples, {width, height, 0, 0}) {}

SceneTarget::SceneTarget(std::uint32_t width, std::uint32_t height, int samples, const SceneCanvas& canvas,
                         ScenePixels pixels)
    : width_(width),
      height_(height),
      canvas_(canvas),
      state_(std::make_unique<State>(static_cast<GLsizei>(width), static_cast<GLsizei>(height), samples,
                                     pixels)) {
    GLint most[2] = {0, 0};
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most);
    if (canvas.width > static_cast<std::uint32_t>(most[0]) ||
        canvas.height > static_cast<std::uint32_t>(most[1])) {
        throw Error(ErrorKind::Display,
                    fmt::format("this OpenGL driver draws parts of pictures of at most {}x{}, {}x{} is asked "
                                "for",
                                most[0], most[1], canvas.width, canvas.height),
                    "make the wall's picture smaller, or use another graphics driver");
    }
}

SceneTarget::~SceneTarget() = default;

void SceneTarget::bind() {
    glBindFramebuffer(GL_FRAMEBUFFER, state_->drawn.get());
    glViewport(-static_cast<GLint>(canvas_.x), -static_cast<GLint>(canvas_.y),
               static_cast<GLsizei>(canvas_.width), static_cast<GLsizei>(canvas_.height));
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

unsigned SceneTarget::texture() const {
    return state_->picture.get();
}

}  // namespace verbcast
