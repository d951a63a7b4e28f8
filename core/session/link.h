// One connection of a session: handshake, heartbeats, the peer's clock, and the loop that serves the channel.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/session/host_clock.h"
#include "core/session/messages.h"
#include "core/transport/transport.h"

namespace verbcast {

/// Work that the link's thread does besides: something to wait for and to serve between frames.
class SideJob {
  public:
    virtual ~SideJob() = default;
    virtual int descriptor() const = 0;
    virtual void serve() = 0;
};

struct LinkOptions {
    Role role = Role::Sender;
    std::string name;
    std::uint32_t slots = 8;
    std::uint64_t features = 0;  ///< Hello::features
    std::chrono::milliseconds peerTimeout{900};
    bool poll = false;  ///< spin for ever instead of kSpin
    /// The peer must have the same, or neither of them one.
    std::optional<SessionKey> key;
    KeySide side = KeySide::Connecting;
    SideJob* sideJob = nullptr;  ///< may be null; outlives the link
};

/// How a connection ended.
struct LinkEnd {
    enum class Kind {
        Orderly,  ///< one side said goodbye after all was delivered
        Lost,     ///< the peer vanished or fell silent
        Refused,  ///< the peer does not want us: version, busy, role, ...
        Broken,   ///< the peer broke the protocol; we hung up
        Stopped,  ///< we were told to end
    };
    Kind kind = Kind::Lost;
    std::string reason;
    bool permanent = false;  ///< trying again cannot help (another version, two senders)
};

enum class Served {
    Worked,
    Idle,   ///< nothing to do now
    Ended,  ///< not yet running, or no more
};

/// Runs on the thread that calls run(); wake() and stop() come from any thread.
///
/// A thread switch costs more than handing a frame to a channel whose sendsAtOnce() is true. There, the
/// thread that submits frames pushes them through by itself (serveNow()), and the one that consumes them
/// looks for them itself (serve(), awaitNews()); the link's own thread then keeps time and watches everything
/// but the frames. Whoever serves holds `serving_`, which nobody holds while sleeping.
class Link : private ChannelHandler {
  public:
    Link(std::unique_ptr<Channel> channel, const LinkOptions& options);
    ~Link() override = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Serves the connection until it ends. Throws only what step() throws about our own side.
    LinkEnd run();

    /// There is something to do for step(). No system call unless the link sleeps.
    void wake() noexcept { wake_.notify(); }
    /// Says goodbye with this reason and ends run(). Once.
    void stop(const std::string& reason);

    const ChannelDescription& channelDescription() const { return channel_->description(); }

    /// For the submitting thread, after giving the link something to do: does it at once if the link's thread
    /// sleeps and the channel allows, and otherwise wakes that thread.
    void serveNow();

    /// For the submitting thread while it spins until the next frame: takes what the peer has sent, and keeps
    /// the way of the frame in the caches of both sides.
    void serveMeanwhile();

    // For one consuming thread, which from its first call on serves the connection instead of the link's own.
    /// False when the channel does not allow it.
    bool mayBeServed() const { return channel_->sendsAtOnce(); }
    /// One round.
    Served serve();
    /// Sleeps until there may be work for serve(), or the connection ends, or the timeout is over. False, at
    /// once, when this thread does not serve the connection.
    bool awaitNews(std::chrono::nanoseconds timeout);

  protected:
    // For the role on top of this; all called on the link's thread.
    /// The handshake is complete.
    virtual void onReady() = 0;
    virtual void onSessionMessage(MessageType type, ByteReader& reader) = 0;
    /// Moves what can be moved without blocking; true when something was.
    virtual bool step() = 0;
    /// Further wake-ups, armed while whoever serves sleeps, and their descriptors; see ReceiverLink.
    virtual void armExtra() {}
    virtual void disarmExtra() {}
    virtual void addExtraDescriptors(std::vector<int>& /*descriptors*/) const {}
    /// Something happens at least this often (the receiver's report).
    virtual void onTick(TimestampNs /*now*/) {}
    /// Whether what the peer sends may wait until the next round, for nothing here depends on it.
    virtual bool mayDoze() { return false; }
    /// stop() was called: the last words before Bye.
    virtual void onStopping() {}
    // The channel's events that concern one role only.
    void onPeerSlots(std::uint32_t generation, std::uint64_t slotBytes, std::uint32_t slotCount) override;
    void onPeerPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    void onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) override;
    void onFrameSent(std::uint32_t localSlot) override;

    Channel& channel() { return *channel_; }
    const Hello& peer() const { return peer_; }
    bool ready() const { return ready_; }
    const PeerClock& peerClock() const { return peerClock_; }
    /// Queues a message; a peer that lets hundreds pile up counts as lost.
    void send(std::span<const std::byte> message);
    void end(LinkEnd::Kind kind, std::string reason, bool permanent = false);
    /// Tells the peer why and ends.
    void refuse(RefuseCode code, const std::string& reason);

  private:
    void onMessage(std::span<const std::byte> message) final;
    void handleHello(const Hello& hello);
    void handleProof(const Proof& proof);
    void sendProof();
    void becomeReady();
    void handleRefuse(const Refuse& refusal);
    bool processChannel(bool ownerAwake);
    bool drainChannel(bool ownerAwake);
    void loop(std::unique_lock<std::mutex>& serving);
    bool round(bool ownerAwake);
    template <typename Work>
    void assist(Work&& work);
    void serveSubmitter();
    void heartbeat(TimestampNs now);
    void handleStop();
    bool waitForAnything(TimestampNs now, std::unique_lock<std::mutex>& serving);
    void sleep(TimestampNs now, std::unique_lock<std::mutex>& serving);
    void serveSideJob(TimestampNs now);
    void keepTime(TimestampNs now, std::unique_lock<std::mutex>& serving);
    bool readyToSleep() { return mayDoze() ? channel_->readyToDoze() : channel_->readyToSleep(); }
    std::chrono::nanoseconds untilNextBeat(TimestampNs now) const;

    std::mutex serving_;  // guards the channel and what follows, but for what is atomic or a wake-up
    bool running_ = false;
    bool consumerServes_ = false;
    bool consumerSleeps_ = false;
    std::exception_ptr
        assistFailure_;  // what another thread ran into while it served; the link's own rethrows it

    std::unique_ptr<Channel> channel_;
    LinkOptions options_;
    Nonce nonce_{};  // ours, with a key
    Hello peer_;
    bool helloSeen_ = false;
    bool ready_ = false;
    PeerClock peerClock_;
    std::optional<LinkEnd> end_;

    ArmedEvent wake_;
    Event stop_;
    std::atomic<bool> stopping_{false};  // stop_ was set: read in the loop without a system call
    std::string stopReason_;             // written before stopping_ is set, read after

    TimestampNs startedAt_ = 0;
    TimestampNs lastHeard_ = 0;
    TimestampNs lastPing_ = 0;
    std::uint64_t heardBytes_ = 0;
    std::vector<int> sleepDescriptors_;
    bool sideJobWaits_ = false;
    TimestampNs lastSideJob_ = 0;
    int quickPings_ = 0;
    unsigned idleTurns_ = 0;  // of serveMeanwhile()
};

}  // namespace verbcast
