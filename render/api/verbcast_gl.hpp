// verbcast_gl.h with destructors and exceptions, for C++17. Needs only verbcast.hpp and the C libraries.
#pragma once

#include <verbcast/verbcast_gl.h>

#include <string>
#include <verbcast/verbcast.hpp>

namespace vc {

/// See verbcast_gl.h for each function, its thread and context. The sender and the context must outlive it.
class PictureSender {
  public:
    static vc_gl_options defaults(std::uint32_t width, std::uint32_t height) {
        vc_gl_options options = VC_INIT(vc_gl_options);
        options.width = width;
        options.height = height;
        return options;
    }
    PictureSender(Sender& sender, const vc_gl_options& options) : gl_(vc_gl_open(sender.handle(), &options)) {
        if (gl_ == nullptr) {
            throw Error();
        }
    }
    PictureSender(Sender& sender, std::uint32_t width, std::uint32_t height)
        : PictureSender(sender, defaults(width, height)) {}
    PictureSender(const PictureSender&) = delete;
    PictureSender& operator=(const PictureSender&) = delete;
    ~PictureSender() { vc_gl_close(gl_); }

    std::string description() const { return vc_gl_description(gl_); }
    vc_status sendTexture(std::uint32_t texture, std::uint64_t inputSerial = 0, int timeoutMs = 0) {
        return checked(vc_gl_send_texture(gl_, texture, inputSerial, timeoutMs));
    }
    vc_status sendFramebuffer(std::uint32_t framebuffer, std::uint64_t inputSerial = 0, int timeoutMs = 0) {
        return checked(vc_gl_send_framebuffer(gl_, framebuffer, inputSerial, timeoutMs));
    }
    vc_status finish(int timeoutMs = -1) { return checked(vc_gl_finish(gl_, timeoutMs)); }

  private:
    vc_gl* gl_;
};

}  // namespace vc
