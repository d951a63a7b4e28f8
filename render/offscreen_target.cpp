#include "render/offscreen_target.h"

#include <epoxy/gl.h>

#include <string>

#include "core/base/error.h"
#include "render/gl_handles.h"
#include "render/plane_textures.h"

namespace verbcast {

struct OffscreenTarget::State {
    GlTexture texture;
    GlFramebuffer framebuffer;
};

OffscreenTarget::OffscreenTarget(int width, int height)
    : width_(width), height_(height), state_(std::make_unique<State>()) {
    state_->texture = makeTexture(GL_RGBA, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, width, height);
    glBindTexture(GL_TEXTURE_2D, 0);
    state_->framebuffer = GlFramebuffer::create();
    bind();
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, state_->texture.get(), 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw Error(ErrorKind::Display, "the OpenGL driver cannot draw into a texture of " +
                                            std::to_string(width) + "x" + std::to_string(height));
    }
}

OffscreenTarget::~OffscreenTarget() = default;

void OffscreenTarget::bind() {
    glBindFramebuffer(GL_FRAMEBUFFER, state_->framebuffer.get());
}

const std::vector<std::byte>& OffscreenTarget::read() {
    pixels_.resize(std::size_t{4} * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    bind();
    glReadPixels(0, 0, width_, height_, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, pixels_.data());
    return pixels_;
}

void finishGl() {
    glFinish();
}

}  // namespace verbcast
