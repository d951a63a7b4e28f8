#include "render/scenes/scene_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "render/gl/plane_textures.h"

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

SceneTarget::SceneTarget(std::uint32_t width, std::uint32_t height, int samples)
    : SceneTarget(width, height, samples, {width, height, 0, 0}) {}

SceneTarget::SceneTarget(std::uint32_t width, std::uint32_t height, int samples, const SceneCanvas& canvas,
                         ScenePixels pixels)
    : width_(width), height_(height), canvas_(canvas) {
    GLint limit = 0, mostSamples = 0, most[2] = {0, 0};
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    glGetIntegerv(GL_MAX_SAMPLES, &mostSamples);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most);
    const auto across = static_cast<GLsizei>(width), down = static_cast<GLsizei>(height);
    if (across > limit || down > limit) {
        throw Error(ErrorKind::Display,
                    fmt::format("this OpenGL driver draws at most {} pixels on a side, {}x{} is asked for",
                                limit, width, height),
                    "render a smaller picture (--size), or use another graphics driver");
    }
    if (canvas.width > static_cast<std::uint32_t>(most[0]) ||
        canvas.height > static_cast<std::uint32_t>(most[1])) {
        throw Error(ErrorKind::Display,
                    fmt::format("this OpenGL driver draws parts of pictures of at most {}x{}, {}x{} is asked "
                                "for",
                                most[0], most[1], canvas.width, canvas.height),
                    "make the wall's picture smaller, or use another graphics driver");
    }
    samples_ = samples > 1 ? std::min(samples, mostSamples) : 0;
    picture_ = makePicture(samples_ > 0 || pixels == ScenePixels::Rgba8, across, down);
    depth_ = makeRenderbuffer(GL_DEPTH_COMPONENT32F, samples_, across, down);
    const auto complete = [] { return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE; };
    drawn_ = GlFramebuffer::create();
    glBindFramebuffer(GL_FRAMEBUFFER, drawn_.get());
    attach(GL_DEPTH_ATTACHMENT, depth_);
    bool drawable = true;
    if (samples_ > 0) {
        sampledColour_ = makeRenderbuffer(GL_RGBA8, samples_, across, down);
        attach(GL_COLOR_ATTACHMENT0, sampledColour_);
        drawable = complete();
        resolved_ = GlFramebuffer::create();
        glBindFramebuffer(GL_FRAMEBUFFER, resolved_.get());
    }
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture_.get(), 0);
    drawable = drawable && complete();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (!drawable) {
        throw Error(ErrorKind::Display,
                    fmt::format("the OpenGL driver cannot draw into {}x{} pixels with {} samples", width,
                                height, samples_),
                    "render a smaller picture (--size)");
    }
}

void SceneTarget::bind() {
    glBindFramebuffer(GL_FRAMEBUFFER, drawn_.get());
    glViewport(-static_cast<GLint>(canvas_.x), -static_cast<GLint>(canvas_.y),
               static_cast<GLsizei>(canvas_.width), static_cast<GLsizei>(canvas_.height));
}

void SceneTarget::resolve() {
    if (samples_ > 0) {
        const auto width = static_cast<GLint>(width_), height = static_cast<GLint>(height_);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn_.get());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_.get());
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

}  // namespace verbcast
