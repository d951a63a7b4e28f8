#include "core/pipewire/pipewire_client.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/pipewire/loop_lock.h"

namespace verbcast {
namespace {

constexpr long kFirstRetryMs = 20, kLastRetryMs = 2000;

template <typename Made>
void requireMade(const Made& made, const char* call) {
    if (!made) {
        throwErrno(ErrorKind::Resource, call, "PipeWire", errno);
    }
}

/// "" where it is not the user's own.
std::string socketPath() {
    for (const char* variable : {"PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"}) {
        if (const char* folder = std::getenv(variable); folder != nullptr && *folder == '/') {
            return std::string(folder) + "/pipewire-0";
        }
    }
    return {};
}

}  // namespace

const pw_core_events PipeWireClient::kCoreEvents = [] {
    pw_core_events events{};
    events.version = PW_VERSION_CORE_EVENTS;
    events.done = [](void* self, std::uint32_t id, int) {
        if (id == PW_ID_CORE) {
            static_cast<PipeWireClient*>(self)->answered();
        }
    };
    events.error = [](void* data, std::uint32_t id, int, int result, const char* message) {
        auto* self = static_cast<PipeWireClient*>(data);
        log().debug("PipeWire says of object {}: {} ({})", id, message, result);
        if (id == PW_ID_CORE && result == -EPIPE) {
            self->reportLoss();
        }
    };
    return events;
}();

PipeWireClient::PipeWireClient(const char* threadName, Listener& listener) : listener_(listener) {
    initialisePipeWire();
    loop_.reset(pw_thread_loop_new(threadName, nullptr));
    requireMade(loop_, "pw_thread_loop_new");
    // The configuration whose thread of data gets a real-time priority where that is allowed.
    context_.reset(
        pw_context_new(innerLoop(), pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", nullptr), 0));
    requireMade(context_, "pw_context_new");
    retry_ = pw_loop_add_timer(
        innerLoop(), [](void* self, std::uint64_t) { static_cast<PipeWireClient*>(self)->tryToConnect(); },
        this);
    requireMade(retry_, "pw_loop_add_timer");
    lost_ = pw_loop_add_event(
        innerLoop(), [](void* self, std::uint64_t) { static_cast<PipeWireClient*>(self)->drop(); }, this);
    requireMade(lost_, "pw_loop_add_event");
    watch();
}

void PipeWireClient::start() {
    if (const int result = pw_thread_loop_start(loop_.get()); result < 0) {
        throwErrno(ErrorKind::Resource, "pw_thread_loop_start", "PipeWire", -result);
    }
    running_.reset(loop_.get());
    const LoopLock lock(loop_.get());
    tryToConnect();
    if (!core_) {
        listener_.absent();
    }
}

PipeWireClient::~PipeWireClient() {
    running_.reset();
    listener_.disconnected();
    nodes_.reset();
    core_.reset();
}

void PipeWireClient::watch() {
    const std::string path = socketPath();
    if (path.empty()) {
        return;
    }
    try {
        watch_.emplace(path);
    } catch (const Error& error) {
        log().debug("{}: looking for PipeWire every {} ms", error.what(), kLastRetryMs);
        return;
    }
    pw_loop_add_io(
        innerLoop(), watch_->descriptor(), SPA_IO_IN, false,
        [](void* data, int, std::uint32_t) {
            auto* self = static_cast<PipeWireClient*>(data);
            try {
                self->watch_->clear();
            } catch (const Error& error) {
                log().debug("{}: looking for PipeWire every {} ms", error.what(), kLastRetryMs);
            }
            self->waitMs_ = 0;
            self->tryToConnect();
        },
        this);
}

void PipeWireClient::tryToConnect() {
    if (core_) {
        return;
    }
    core_.reset(pw_context_connect(context_.get(), nullptr, 0));
    if (!core_) {
        return tryAgainLater();
    }
    waitMs_ = 0;
    pw_core_add_listener(core_.get(), &coreListener_, &kCoreEvents, this);
    rounds_ = 2;
    asked_ = false;
    nodes_ = std::make_unique<SoundNodes>(core_.get(), [this] { ask(); });
    ask();
}

void PipeWireClient::tryAgainLater() {
    waitMs_ = std::clamp(2 * waitMs_, kFirstRetryMs, kLastRetryMs);
    const timespec at{waitMs_ / 1000, waitMs_ % 1000 * 1'000'000};
    pw_loop_update_timer(innerLoop(), retry_, const_cast<timespec*>(&at), nullptr, false);
    wake();
}

/// The answer comes after all that has happened until now: many changes are one.
void PipeWireClient::ask() {
    if (!asked_) {
        asked_ = true;
        pw_core_sync(core_.get(), PW_ID_CORE, 0);
    }
}

/// Not from the core's own callback, which this is called by.
void PipeWireClient::reportLoss() {
    pw_loop_signal_event(innerLoop(), lost_);
}

void PipeWireClient::answered() {
    asked_ = false;
    if (rounds_ > 0) {
        if (--rounds_ > 0) {
            return ask();
        }
        listener_.connected(*core_, *nodes_);
    } else {
        listener_.changed(*nodes_);
    }
    wake();
}

void PipeWireClient::drop() {
    if (!core_) {
        return;
    }
    listener_.disconnected();
    nodes_.reset();
    core_.reset();
    spa_zero(coreListener_);
    listener_.absent();
    tryAgainLater();
}

bool PipeWireClient::awaitDaemon(Deadline deadline) const {
    const LoopLock lock(loop_.get());
    return core_ && await(deadline, [this] { return !core_ || rounds_ == 0; }) && core_;
}

}  // namespace verbcast
