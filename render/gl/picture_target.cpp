#include "render/gl/picture_target.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "render/gl/plane_textures.h"

namespace verbcast {

TargetScope::TargetScope() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_);
    glGetIntegerv(GL_VIEWPORT, viewport_);
}

TargetScope::~TargetScope() {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_));
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
}

DrawScope::DrawScope(const GlVertexArray& vertexArray) {
    for (const GLenum test :
         {GL_BLEND, GL_SCISSOR_TEST, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE, GL_FRAMEBUFFER_SRGB}) {
        glDisable(test);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glBindVertexArray(vertexArray.get());
}

DrawScope::~DrawScope() {
    glBlendFunc(GL_ONE, GL_ZERO);
    glDisable(GL_BLEND);
    for (std::size_t unit = kMaxPlanes; unit-- > 0;) {
        glActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + unit));
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    glBindVertexArray(0);
    glUseProgram(0);
}

ClipScope::ClipScope(const TargetPart& part) {
    const TargetRect& clip = part.clip;
    if (!clip.covers(part.targetWidth, part.targetHeight)) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(clip.left, part.rowOf(clip), clip.width, clip.height);
    }
}

PictureTarget::PictureTarget(std::uint32_t width, std::uint32_t height, TargetPixels pixels)
    : framebuffer_(GlFramebuffer::create()) {
    checkTextureSize(width, height, "the picture");
    const auto across = static_cast<GLsizei>(width), down = static_cast<GLsizei>(height);
    texture_ = pixels == TargetPixels::TenBits
                   ? makeTexture(GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, across, down)
               : pixels == TargetPixels::Rgba8
                   ? makeTexture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, across, down)
                   : makeTexture(GL_RGBA, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, across, down);
    glBindTexture(GL_TEXTURE_2D, 0);
    const TargetScope scope;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw Error(ErrorKind::Display,
                    fmt::format("the OpenGL driver cannot draw into a texture of {}x{}", width, height));
    }
}

}  // namespace verbcast
