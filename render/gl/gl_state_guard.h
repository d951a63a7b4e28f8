// Saves another program's OpenGL state while we read its picture.
#pragma once

#include <epoxy/gl.h>

#include <array>

namespace verbcast {

/// Sets the state that readback and blits depend on to the defaults, and restores it in the destructor. Needs
/// OpenGL 3.0 or OpenGL ES 3.0.
class GlStateGuard {
  public:
    GlStateGuard() : desktop_(epoxy_is_desktop_gl()), indexed_(desktop_ && epoxy_gl_version() >= 41) {
        glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &packBuffer_);
        glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &readFramebuffer_);
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawFramebuffer_);
        scissor_ = glIsEnabled(GL_SCISSOR_TEST);
        for (Value& value : pack_) {
            if (applies(value)) {
                glGetIntegerv(value.name, &value.own);
                glPixelStorei(value.name, value.standard);
            }
        }
        glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        if (scissor_ == GL_TRUE) {
            indexed_ ? glDisablei(GL_SCISSOR_TEST, 0) : glDisable(GL_SCISSOR_TEST);
        }
        if (desktop_) {  // a blit would change the values of a window in sRGB
            framebufferSrgb_ = glIsEnabled(GL_FRAMEBUFFER_SRGB);
            glDisable(GL_FRAMEBUFFER_SRGB);
        }
    }
    ~GlStateGuard() {
        glBindBuffer(GL_PIXEL_PACK_BUFFER, static_cast<GLuint>(packBuffer_));
        glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(readFramebuffer_));
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(drawFramebuffer_));
        for (const Value& value : pack_) {
            if (applies(value)) {
                glPixelStorei(value.name, value.own);
            }
        }
        if (scissor_ == GL_TRUE) {
            indexed_ ? glEnablei(GL_SCISSOR_TEST, 0) : glEnable(GL_SCISSOR_TEST);
        }
        if (framebufferSrgb_ == GL_TRUE) {
            glEnable(GL_FRAMEBUFFER_SRGB);
        }
    }
    GlStateGuard(const GlStateGuard&) = delete;
    GlStateGuard& operator=(const GlStateGuard&) = delete;

  private:
    struct Value {
        GLenum name;
        GLint standard;
        bool desktopOnly;
        GLint own = 0;
    };
    bool applies(const Value& value) const { return desktop_ || !value.desktopOnly; }

    const bool desktop_;
    const bool indexed_;  // the first viewport's scissors, which blits heed: plain calls change those of all
    GLboolean scissor_ = GL_FALSE, framebufferSrgb_ = GL_FALSE;
    GLint packBuffer_ = 0, readFramebuffer_ = 0, drawFramebuffer_ = 0;
    std::array<Value, 8> pack_{{{GL_PACK_ALIGNMENT, 4, false},
                                {GL_PACK_ROW_LENGTH, 0, false},
                                {GL_PACK_SKIP_ROWS, 0, false},
                                {GL_PACK_SKIP_PIXELS, 0, false},
                                {GL_PACK_SWAP_BYTES, 0, true},
                                {GL_PACK_LSB_FIRST, 0, true},
                                {GL_PACK_IMAGE_HEIGHT, 0, true},
                                {GL_PACK_SKIP_IMAGES, 0, true}}};
};

}  // namespace verbcast
