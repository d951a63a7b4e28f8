// A stream of sound to or from one of PipeWire's nodes, which follows whatever happens to it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/clock.h"
#include "core/pipewire/pipewire_client.h"
#include "core/pipewire/sound_peers.h"

namespace verbcast {

struct SoundStreamWish {
    SoundDirection direction = SoundDirection::Output;
    std::string target;           ///< name, serial number or description of a node; "": the default device
    bool monitor = false;         ///< input: what the default sink plays, if no target is named
    std::string title;            ///< as mixers show it
    std::uint32_t rate = 48'000;  ///< output: exactly. Input: the graph's own instead
    std::uint32_t channels = 2;   ///< likewise; input: those of the target instead
    std::uint64_t layout = 0;     ///< of the channels, as in SoundFormat
    std::uint32_t quantum = 256;  ///< samples at a time that are asked of the graph
    std::string withoutDaemon = kNoPipeWireRuns;  ///< the problem while there is none
    /// Called when a problem begins, unless it is the last one again: on the loop's thread, or on the one
    /// that makes the stream.
    std::function<void(const std::string& problem)> told = [](const std::string&) {};
};

/// Connects its stream as soon as a daemon is there, and again after each change that PipeWire does not
/// follow itself. An input's stream stays with its target and waits for it; one to or from the default device
/// moves with that, and so does an output whose target goes.
class SoundStream : private PipeWireClient::Listener {
  public:
    struct Format {
        std::uint32_t rate = 0, channels = 0;
        std::uint64_t layout = 0;
    };
    class User {
      public:
        virtual ~User() = default;
        /// A cycle of the graph, on PipeWire's thread of data: neither waits nor allocates.
        virtual void process(pw_stream& stream) noexcept = 0;
    };

    /// With a device, as the wish says. `user` must outlive it. Throws Error{Resource}.
    SoundStream(const SoundStreamWish& wish, User& user);
    /// With others: then the wish's target does not count.
    SoundStream(SoundStreamWish wish, std::unique_ptr<SoundPeers> peers, User& user);
    SoundStream(const SoundStream&) = delete;
    SoundStream& operator=(const SoundStream&) = delete;

    struct State {
        Format format;        ///< rate 0: not agreed on yet
        std::string device;   ///< description of the node at the other end; "" while there is none
        std::string problem;  ///< why there is none; "" if there is one
    };
    State state() const;
    /// Waits until a format is agreed on; false at the deadline.
    bool awaitFormat(Deadline deadline) const;
    /// Waits until the daemon has been asked; false if none runs.
    bool awaitDaemon(Deadline deadline) const { return client_->awaitDaemon(deadline); }
    /// Whether the daemon has what is wanted.
    bool hasTarget() const;

    // Within process():

    /// The stream's current format. Never changes during a cycle.
    Format format() const {
        return {rate_.load(std::memory_order_relaxed), channels_.load(std::memory_order_relaxed),
                layout_.load(std::memory_order_relaxed)};
    }
    struct Moment {
        TimestampNs at = 0;  ///< when the next sample written is heard, or the first one read was
        bool gap = false;    ///< cycles were missed since the previous one
    };
    /// As PipeWire accounts for its delays. `samples`: of this cycle.
    Moment moment(pw_stream& stream, std::uint32_t samples);

  private:
    // On the loop's thread:
    void connected(pw_core& core, const SoundNodes& nodes) override;
    void changed(const SoundNodes& nodes) override;
    void disconnected() override;
    void absent() override { tell(wish_.withoutDaemon); }
    void open(const SoundNodes& nodes);
    void reopen();
    void lookLater(std::chrono::milliseconds time);
    void looked();
    void close();
    pw_properties* properties(const SoundNodes& nodes) const;
    void agreed(const spa_pod* format);
    void stateIs(pw_stream_state state, const char* error);
    void failed(const std::string& error);
    void tell(const std::string& problem);
    void lookAtLink(const SoundNodes& nodes);

    static const pw_stream_events kEvents;

    const SoundStreamWish wish_;
    const std::unique_ptr<SoundPeers> peers_;
    User& user_;
    std::atomic<std::uint32_t> rate_{0}, channels_{0};
    std::atomic<std::uint64_t> layout_{0};
    // Of the thread of data, but that reset_ restarts them:
    std::uint64_t expectedTicks_ = 0;
    std::uint32_t graphRate_ = 0;
    std::atomic<bool> reset_{true};
    // Guarded by the loop's lock:
    std::optional<std::string> device_;  // nullopt: not linked
    std::string problem_, told_;
    std::string error_;  // of the stream
    int failures_ = 0;   // one after the other
    std::vector<std::uint32_t> channelsAsked_;
    pw_core* core_ = nullptr;
    spa_hook listener_{};
    spa_source* reopen_ = nullptr;  // event; this and the next are the loop's
    spa_source* later_ = nullptr;   // timer
    PipeWireHandle<pw_stream> stream_;
    std::unique_ptr<PipeWireClient> client_;  // last: its thread uses everything above
};

}  // namespace verbcast
