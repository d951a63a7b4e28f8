// What libpipewire makes, owned.
#pragma once

#include <pipewire/pipewire.h>

#include <memory>

namespace verbcast {

/// Once per process, before anything else of PipeWire is called. Its own log stays silent unless
/// PIPEWIRE_DEBUG is set: our errors report what matters.
void initialisePipeWire();

struct DeletePipeWire {
    void operator()(pw_thread_loop* loop) const { pw_thread_loop_destroy(loop); }
    void operator()(pw_context* context) const { pw_context_destroy(context); }
    void operator()(pw_core* core) const { pw_core_disconnect(core); }
    void operator()(pw_registry* registry) const { pw_proxy_destroy(reinterpret_cast<pw_proxy*>(registry)); }
    void operator()(pw_proxy* proxy) const { pw_proxy_destroy(proxy); }
    void operator()(pw_stream* stream) const { pw_stream_destroy(stream); }
};
template <typename T>
using PipeWireHandle = std::unique_ptr<T, DeletePipeWire>;

/// A running thread of a loop: stops it.
struct StopPipeWireLoop {
    void operator()(pw_thread_loop* loop) const { pw_thread_loop_stop(loop); }
};
using RunningPipeWireLoop = std::unique_ptr<pw_thread_loop, StopPipeWireLoop>;

}  // namespace verbcast
