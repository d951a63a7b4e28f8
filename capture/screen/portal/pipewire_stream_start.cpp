// How a PipeWireStream connects, and what PipeWire tells it.
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "capture/screen/portal/loop_lock.h"
#include "capture/screen/portal/pipewire_stream.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

void initialise() {
    static std::once_flag once;
    std::call_once(once, [] {
        pw_init(nullptr, nullptr);
        if (std::getenv("PIPEWIRE_DEBUG") == nullptr) {
            pw_log_set_level(SPA_LOG_LEVEL_NONE);  // our errors report what matters
        }
    });
}

[[noreturn]] void throwProblem(const std::string& problem) {
    throw Error(ErrorKind::Display, problem, kCheckPipeWire);
}

template <typename Handle>
void requireMade(const Handle& handle, const char* call) {
    if (!handle) {
        throwErrno(ErrorKind::Display, call, "PipeWire", errno, kCheckPipeWire);
    }
}

}  // namespace

const pw_core_events PipeWireStream::kCoreEvents = [] {
    pw_core_events events{};
    events.version = PW_VERSION_CORE_EVENTS;
    events.error = [](void* self, std::uint32_t id, int, int result, const char* message) {
        // -ENOENT: an object that we used is gone; the consequences are reported elsewhere.
        if (id == PW_ID_CORE && result != -ENOENT) {
            static_cast<PipeWireStream*>(self)->fail(
                result == -EPIPE ? "PipeWire has ended" : fmt::format("PipeWire fails: {}", message));
        }
    };
    return events;
}();

const pw_registry_events PipeWireStream::kRegistryEvents = [] {
    pw_registry_events events{};
    events.version = PW_VERSION_REGISTRY_EVENTS;
    events.global_remove = [](void* data, std::uint32_t id) {
        auto* self = static_cast<PipeWireStream*>(data);
        if (id == self->node_.id) {
            self->end();
        }
    };
    return events;
}();

const pw_stream_events PipeWireStream::kStreamEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = [](void* self, pw_stream_state, pw_stream_state state, const char* error) {
        if (state == PW_STREAM_STATE_ERROR) {
            static_cast<PipeWireStream*>(self)->fail(fmt::format(
                "PipeWire cannot give the screen's picture: {}", error != nullptr ? error : "no reason"));
        }
    };
    events.param_changed = [](void* self, std::uint32_t id, const spa_pod* parameter) {
        if (id == SPA_PARAM_Format) {
            static_cast<PipeWireStream*>(self)->negotiated(parameter);
        }
    };
    events.add_buffer = [](void* self, pw_buffer* buffer) {
        static_cast<PipeWireStream*>(self)->added(buffer);
    };
    events.remove_buffer = [](void* self, pw_buffer* buffer) {
        static_cast<PipeWireStream*>(self)->removed(buffer);
    };
    events.process = [](void* self) { static_cast<PipeWireStream*>(self)->process(); };
    return events;
}();

PipeWireStream::PipeWireStream(UniqueFd remote, const PipeWireNode& node, std::chrono::milliseconds patience,
                               const Event* cancel)
    : node_(node) {
    initialise();
    loop_.reset(pw_thread_loop_new("verbcast-screen", nullptr));
    requireMade(loop_, "pw_thread_loop_new");
    context_.reset(pw_context_new(pw_thread_loop_get_loop(loop_.get()), nullptr, 0));
    requireMade(context_, "pw_context_new");
    if (const int result = pw_thread_loop_start(loop_.get()); result < 0) {
        throwErrno(ErrorKind::Resource, "pw_thread_loop_start", "PipeWire", -result);
    }
    running_.reset(loop_.get());
    connect(std::move(remote));
    agreed_ = awaitFormat(patience, cancel);
}

void PipeWireStream::connect(UniqueFd remote) {
    const LoopLock lock(loop_.get());
    // Goes with the loop.
    const auto collect = [](void* self, int, std::uint32_t) {
        static_cast<PipeWireStream*>(self)->collectReturned();
    };
    requireMade(pw_loop_add_io(pw_thread_loop_get_loop(loop_.get()), returned_->descriptor(), SPA_IO_IN,
                               false, collect, this),
                "pw_loop_add_io");
    core_.reset(pw_context_connect_fd(context_.get(), remote.release(), nullptr, 0));
    requireMade(core_, "pw_context_connect_fd");
    pw_core_add_listener(core_.get(), &coreListener_, &kCoreEvents, this);
    registry_.reset(pw_core_get_registry(core_.get(), PW_VERSION_REGISTRY, 0));
    requireMade(registry_, "pw_core_get_registry");
    pw_registry_add_listener(registry_.get(), &registryListener_, &kRegistryEvents, this);
    stream_.reset(pw_stream_new(core_.get(), "verbcast",
                                pw_properties_new(PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY,
                                                  "Capture", PW_KEY_MEDIA_ROLE, "Screen", nullptr)));
    requireMade(stream_, "pw_stream_new");
    pw_stream_add_listener(stream_.get(), &streamListener_, &kStreamEvents, this);
    FormatOffer offer(node_.fastest, node_.inDmaBufs);
    const auto flags = static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS |
                                                    PW_STREAM_FLAG_DONT_RECONNECT);
    const int result =
        pw_stream_connect(stream_.get(), PW_DIRECTION_INPUT, node_.id, flags, offer.pods().data(),
                          static_cast<std::uint32_t>(offer.pods().size()));
    if (result < 0) {
        throwErrno(ErrorKind::Display, "pw_stream_connect", "the screen's node", -result, kCheckPipeWire);
    }
}

PictureLayout PipeWireStream::awaitFormat(std::chrono::milliseconds patience, const Event* cancel) const {
    const Deadline deadline = Deadline::in(patience);
    for (;;) {
        if (const auto layout = expected()) {
            return *layout;
        }
        if (hasEnded()) {
            throwProblem("the desktop has stopped the screen cast before its first picture");
        }
        if (cancel != nullptr && cancel->isSet()) {
            throwProblem("the screen's pictures were not waited for");
        }
        if (deadline.passed() ||
            !waitReadable({news_.descriptor(), cancel != nullptr ? cancel->descriptor() : -1}, deadline)) {
            throwProblem(fmt::format("PipeWire does not deliver the screen's pictures within {} s",
                                     std::chrono::ceil<std::chrono::seconds>(patience).count()));
        }
        clearNews();
    }
}

}  // namespace verbcast
