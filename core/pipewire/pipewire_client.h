// A connection to PipeWire's daemon that outlives the daemon.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/os/deadline.h"
#include "core/base/os/device_watch.h"
#include "core/pipewire/pipewire_handles.h"
#include "core/pipewire/sound_nodes.h"

namespace verbcast {

inline constexpr const char* kNoPipeWireRuns = "no PipeWire runs";

/// Owns a loop with a thread. Connects to the user's daemon, watches what nodes it has, and when it ends
/// waits for the next one: by inotify on the folder of its socket, and by trying every 2 s at most.
class PipeWireClient {
  public:
    /// Called on the loop's thread, with its lock held; for a daemon that is not there at the beginning, and
    /// at the end, on the thread that makes or destroys the client.
    class Listener {
      public:
        virtual ~Listener() = default;
        /// A daemon is there, and all that it has is known.
        virtual void connected(pw_core& core, const SoundNodes& nodes) = 0;
        /// Its nodes, ports, links or defaults are others now.
        virtual void changed(const SoundNodes& nodes) = 0;
        /// It has ended, or this client: everything that belongs to the core goes now.
        virtual void disconnected() = 0;
        /// None runs, and the next one is waited for.
        virtual void absent() = 0;
    };

    /// `listener` must outlive it. Throws Error{Resource}.
    PipeWireClient(const char* threadName, Listener& listener);
    /// Once. From then on, the listener is called. Throws Error{Resource}.
    void start();
    ~PipeWireClient();
    PipeWireClient(const PipeWireClient&) = delete;
    PipeWireClient& operator=(const PipeWireClient&) = delete;

    pw_thread_loop* loop() const { return loop_.get(); }
    pw_loop* innerLoop() const { return pw_thread_loop_get_loop(loop_.get()); }

    /// Waits until a daemon is there and its nodes are known. False if none runs or answers in time.
    bool awaitDaemon(Deadline deadline) const;
    /// Waits until done() is true, which is called with the lock, and whenever wake() was called. False at
    /// the deadline.
    template <typename Done>
    bool await(Deadline deadline, Done&& done) const;
    /// From the loop's thread.
    void wake() const { pw_thread_loop_signal(loop_.get(), false); }

    /// With the lock; null without a daemon.
    const SoundNodes* nodes() const { return rounds_ == 0 ? nodes_.get() : nullptr; }

  private:
    void tryToConnect();
    void tryAgainLater();
    void ask();
    void answered();
    void reportLoss();
    void drop();
    void watch();

    static const pw_core_events kCoreEvents;

    Listener& listener_;
    std::optional<DeviceWatch> watch_;  // of the daemon's socket, where it is known
    long waitMs_ = 0;                   // before the next try
    // To go until everything is known: one for the nodes, one for the defaults that were bound then.
    int rounds_ = 0;
    bool asked_ = false;
    spa_hook coreListener_{};
    PipeWireHandle<pw_thread_loop> loop_;
    PipeWireHandle<pw_context> context_;
    spa_source* retry_ = nullptr;  // timer; this and the next are the loop's
    spa_source* lost_ = nullptr;   // event
    PipeWireHandle<pw_core> core_;
    std::unique_ptr<SoundNodes> nodes_;
    RunningPipeWireLoop running_;
};

template <typename Done>
bool PipeWireClient::await(Deadline deadline, Done&& done) const {
    timespec until{};
    pw_thread_loop_get_time(loop_.get(), &until, deadline.left().count());
    while (!done()) {
        if (pw_thread_loop_timed_wait_full(loop_.get(), &until) != 0) {
            return done();
        }
    }
    return true;
}

}  // namespace verbcast
