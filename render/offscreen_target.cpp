#include "render/offscreen_target.h"

#include <epoxy/gl.h>

namespace verbcast {

OffscreenTarget::OffscreenTarget(OffscreenContext& context, int width, int height)
    : width_(width), height_(height) {
    context.makeFramebuffer(width, height);
}

void OffscreenTarget::bind() {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
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
