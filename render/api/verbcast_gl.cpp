// The C interface of libverbcast-gl, built on that of libverbcast.
#include "render/api/verbcast_gl.h"

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "core/api/log_levels.h"
#include "core/api/private.h"
#include "core/api/sized_struct.h"
#include "core/base/error.h"
#include "core/base/log/log.h"
#include "render/api/picture_sender.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_gl_options>{"vc_gl_options",
                                                            offsetof(vc_gl_options, fps_numerator)};

namespace {

/// No lock: the log passes on one message at a time.
class LibverbcastSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
    void sink_it_(const spdlog::details::log_msg& message) override {
        vcp_log(logLevelFrom(message.level),
                std::string(message.payload.data(), message.payload.size()).c_str());
    }
    void flush_() override {}
};

/// Redirects this library's messages to libverbcast's log (vc_set_log()): it has a log of its own, because it
/// contains the core a second time.
void shareLogWithLibverbcast() {
    static std::once_flag shared;
    std::call_once(shared, [] {
        setLogLevel(spdlog::level::debug);  // libverbcast drops what the program does not want
        setLogSink(std::make_shared<LibverbcastSink>());
    });
}

Deadline deadlineIn(int milliseconds) {
    return milliseconds < 0 ? Deadline::never() : Deadline::in(std::chrono::milliseconds(milliseconds));
}

/// Runs work(). If it throws, sets vc_error() and returns `failed`.
template <typename Result, typename Work>
Result guarded(Result failed, Work&& work) noexcept {
    try {
        vcp_set_error("", VC_NO_ERROR);
        return work();
    } catch (const SaidAlready&) {
    } catch (const Error& error) {
        vcp_set_error(error.remedy().empty()
                          ? error.what()
                          : fmt::format("{}; try: {}", error.what(), error.remedy()).c_str(),
                      static_cast<vc_error_kind>(error.kind()));
    } catch (const std::bad_alloc&) {
        vcp_set_error("out of memory", VC_ERROR_RESOURCE);
    } catch (const std::exception& error) {
        vcp_set_error(error.what(), VC_ERROR_INTERNAL);
    }
    return failed;
}

}  // namespace

extern "C" {

vc_gl* vc_gl_open(vc_sender* sender, const vc_gl_options* options) {
    return guarded<vc_gl*>(nullptr, [&] {
        require(sender != nullptr && options != nullptr,
                "vc_gl_open: a sender and options expected, NULL given");
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
        return gl->sendTexture(texture, input_serial, deadlineIn(timeout_ms));
    });
}

vc_status vc_gl_send_framebuffer(vc_gl* gl, uint32_t framebuffer, uint64_t input_serial, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_send_framebuffer: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->sendFramebuffer(framebuffer, input_serial, deadlineIn(timeout_ms));
    });
}

vc_status vc_gl_finish(vc_gl* gl, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_finish: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->finish(deadlineIn(timeout_ms));
    });
}

}  // extern "C"
