// The C interface of libverbcast-gl, built on that of libverbcast.
#include "render/api/verbcast_gl.h"

#include <fmt/format.h>

#include <exception>

#include "core/api/sized_struct.h"
#include "core/base/error.h"
#include "render/api/current_context.h"
#include "render/api/picture_sender.h"
#include "render/api/shared_log.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_gl_options>{"vc_gl_options", "VC_GL_OPTIONS_INIT",
                                                            offsetof(vc_gl_options, fps_numerator)};

namespace {

/// Runs work(). If it throws, sets vc_error() and returns `failed`.
template <typename Result, typename Work>
Result guarded(Result failed, Work&& work) noexcept {
    try {
        vc_set_error("");
        return work();
    } catch (const SaidAlready&) {
    } catch (const Error& error) {
        vc_set_error(error.remedy().empty()
                         ? error.what()
                         : fmt::format("{}; try: {}", error.what(), error.remedy()).c_str());
    } catch (const std::exception& error) {
        vc_set_error(error.what());
    }
    return failed;
}

}  // namespace

extern "C" {

vc_gl* vc_gl_open(vc_sender* sender, const vc_gl_options* options) {
    return guarded<vc_gl*>(nullptr, [&] {
        require(sender != nullptr && options != nullptr,
                "vc_gl_open: a sender and options expected, NULL given");
        requireOpenGl();
        shareLogWithLibverbcast();
        return new vc_gl(sender, readSized(options));
    });
}

void vc_gl_close(vc_gl* gl) {
    delete gl;
}

const char* vc_gl_description(vc_gl* gl) {
    return gl != nullptr ? gl->description.c_str() : "";
}

vc_status vc_gl_send_texture(vc_gl* gl, uint32_t texture, uint64_t input_serial, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_send_texture: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->sendTexture(texture, input_serial, CallDeadline(timeout_ms));
    });
}

vc_status vc_gl_send_framebuffer(vc_gl* gl, uint32_t framebuffer, uint64_t input_serial, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_send_framebuffer: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->sendFramebuffer(framebuffer, input_serial, CallDeadline(timeout_ms));
    });
}

vc_status vc_gl_finish(vc_gl* gl, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_finish: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->finish(CallDeadline(timeout_ms));
    });
}

}  // extern "C"
