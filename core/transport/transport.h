// The seam that every transport implements: small ordered messages both ways and, one way, payloads into the
// peer's slots. Transports know slots and lengths; they know no pixels and no session.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/pool/frame_pool.h"
#include "core/transport/url.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// Largest session message. Fits one posted receive of the verbs transport.
inline constexpr std::size_t kMaxMessageBytes = 4096;

/// What a person wants to know about a connection.
struct ChannelDescription {
    std::string transport;    ///< "verbs", "tcp" or "shm"
    std::string local;        ///< our end: "192.168.1.2:7423"
    std::string peer;         ///< their end
    std::string detail;       ///< "rxe0 port 1 GID 1 RoCE v2, IB MTU 4096, WRITE with immediate"
    bool sharesPool = false;  ///< the sink reads the source's own pool (shm): no payload crosses the channel
    bool anyMemory = false;   ///< a source pool needs no registering: one that is mapped for reading will do
};

/// Receives what a channel's process() finds. Called on the thread that calls process().
class ChannelHandler {
  public:
    virtual ~ChannelHandler() = default;

    /// A session message, whole and in order; the bytes are valid during the call.
    virtual void onMessage(std::span<const std::byte> message) = 0;

    /// At the source, not with sharesPool: the sink has `slotCount` slots of `slotBytes`. They replace those
    /// of the generation before, which must not be written any more. Which of them may be written the
    /// session's credits say.
    virtual void onPeerSlots(std::uint32_t generation, std::uint64_t slotBytes, std::uint32_t slotCount) = 0;

    /// At the sink, only with sharesPool: the source's pool, mapped for reading; all slots taken.
    virtual void onPeerPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) = 0;

    /// At the sink: a whole frame lies in `slot` of the pool of that generation. The channel has checked that
    /// the slot exists and that info.payloadBytes fits; the rest of `info` is the peer's word.
    virtual void onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) = 0;

    /// At the source, not with sharesPool: local slot `localSlot` is no longer read by the transport.
    virtual void onFrameSent(std::uint32_t localSlot) = 0;
};

/// A frame to send. The caller keeps the local slot leased until onFrameSent (or, with sharesPool, until the
/// session's credit for it comes back).
struct OutgoingFrame {
    std::uint32_t localSlot = 0;   ///< in the pool given to setSourcePool()
    std::uint32_t remoteSlot = 0;  ///< in the peer's announced slots; with sharesPool equal to localSlot
    FrameInfo info;                ///< info.payloadBytes are sent from the slot's start
};

enum class Progress {
    Idle,    ///< nothing to do now
    Worked,  ///< something was handled; call again
    Closed,  ///< the peer closed or was lost: see Channel::closeReason()
};

/// One connected peer. Thread-bound: every function but the destructor and takesReadOnly() is called by the
/// one thread that owns the channel, and none of those blocks.
///
/// Loop: while process() says Worked, go on; when Idle, and after spinning as long as one likes, call
/// readyToSleep(); if true, sleep until waitDescriptor() is readable.
/// Errors of the peer (a message out of range, a slot that does not exist) throw Error{Peer} from process().
class Channel {
  public:
    virtual ~Channel() = default;
    virtual const ChannelDescription& description() const = 0;

    virtual int waitDescriptor() const = 0;
    virtual Progress process(ChannelHandler& handler) = 0;
    /// Arms the wake-up. False when something arrived in between: call process() again before sleeping.
    virtual bool readyToSleep() = 0;

    /// As readyToSleep(), but only the end of the connection needs to wake the owner; what arrives may wait
    /// until it looks by itself.
    virtual bool readyToDoze() { return readyToSleep(); }

    /// True when sendFrame() is all there is to sending a frame, and when arriving frames cost nothing to
    /// take. The channel may then be served by other threads than its owner while that sleeps, one at a time
    /// (the owner holds them off otherwise): they call sendFrame(), sendMessage() and processWhileAsleep().
    virtual bool sendsAtOnce() const { return false; }
    /// Where sendsAtOnce(), for a submitter that spins: sends something that means nothing the way a frame
    /// goes, unless the peer sleeps. After milliseconds without a frame its code and memory have left the
    /// caches, and the next would wait for them longer than for anything else.
    virtual void keepWarm() {}
    /// As process(), leaving the owner's wake-up armed.
    virtual Progress processWhileAsleep(ChannelHandler& /*handler*/) { return Progress::Idle; }
    /// Where sendsAtOnce(), a faster sleep for an owner that waits for nothing else, while another thread
    /// watches waitDescriptor(): as readyToSleep(), then wait() without holding anybody off. It ends with
    /// what arrives, with rouse(), after the timeout, and now and then for no reason.
    virtual bool readyToWait() { return false; }
    virtual void wait(std::chrono::nanoseconds /*timeout*/) {}
    virtual void rouse() {}
    /// For that other thread: waitDescriptor() may be readable, so the next look includes it.
    virtual void descriptorWoke() {}

    /// False where looking for work is a system call that disturbs the kernel's own receiving: then sleeping
    /// at once is faster than spinning first.
    virtual bool spinHelps() const { return true; }

    /// Bytes that have arrived since the channel was made: any increase shows that the peer lives.
    virtual std::uint64_t bytesReceived() const = 0;

    /// Bytes of payload that this end's processor has copied for whole frames, itself or in send() and
    /// recv(), since the channel was made. Counted where that is done; a channel that hands memory over, or
    /// lets a device move it, has nothing to count.
    virtual std::uint64_t payloadBytesCopied() const { return 0; }

    /// Queues a message of at most kMaxMessageBytes. Busy when too many are queued: process() first.
    virtual Status sendMessage(std::span<const std::byte> message) = 0;
    /// For messages that can wait, where there may be many: true while they leave half of the room to those
    /// that cannot. Once false, process() works again when that may have changed.
    virtual bool hasRoomToSpare() const = 0;

    /// Source: whether frames may come from a pool that is only mapped for reading. Where that needs a
    /// registration it is made now, and stays for setSourcePool(). From any thread.
    virtual bool takesReadOnly(const std::shared_ptr<FramePool>& /*pool*/) { return false; }

    /// Source: the pool that frames come from. `generation` rises with each new pool. With sharesPool the
    /// pool is passed to the peer. The channel keeps the pool (and the one before, while frames of it are in
    /// flight).
    virtual void setSourcePool(std::uint32_t generation, std::shared_ptr<FramePool> pool) = 0;
    /// Sink, not with sharesPool: the pool that the peer may write into, announced to it; the caller owns all
    /// its slots as taken. Frames of the generation before may still arrive until the first of this one.
    virtual void setSinkPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) = 0;

    /// Starts a frame; process() moves the rest. Busy when as many frames are in flight as the transport
    /// allows.
    virtual Status sendFrame(const OutgoingFrame& frame) = 0;

    /// Hangs up. Messages already queued are still delivered when the transport can do so without blocking.
    virtual void close() = 0;
    virtual const std::string& closeReason() const = 0;
};

/// Waits for peers at one address. Thread-bound like Channel; the channels that it gives may move to a thread
/// of their own.
class Listener {
  public:
    virtual ~Listener() = default;
    /// The address as a peer would write it, with the port that was really bound.
    virtual std::string address() const = 0;
    virtual int waitDescriptor() const = 0;
    /// A connected peer, or null when none is complete. Peers that fail on the way are logged and dropped.
    virtual std::unique_ptr<Channel> accept() = 0;
};

/// Choices that are the user's; each transport takes what concerns it.
struct TransportOptions {
    /// The caller will call setSourcePool() and never setSinkPool(): verbs then registers a pool once per
    /// device for all peers. Without it each peer gets a protection domain, and so a registration, of its
    /// own.
    bool sendsFrames = false;
};

/// A transport that exists in this program and on this machine, or the reason why not.
struct TransportAvailability {
    Scheme scheme;
    bool available;
    std::string reason;  ///< "2 devices: mlx5_0, mlx5_1" or "no RDMA device" or "compiled without rdma-core"
};

/// Each throws Error{Network, Device, Resource or Usage} with a remedy. connect() blocks until connected,
/// until the timeout, or until `cancel` is set (then it returns null); "nobody is listening" is
/// Error{Network}.
std::unique_ptr<Listener> listenTcp(const Url& url, const TransportOptions& options);
std::unique_ptr<Channel> connectTcp(const Url& url, const TransportOptions& options,
                                    std::chrono::milliseconds timeout, const Event& cancel);
std::unique_ptr<Listener> listenShm(const Url& url, const TransportOptions& options);
std::unique_ptr<Channel> connectShm(const Url& url, const TransportOptions& options,
                                    std::chrono::milliseconds timeout, const Event& cancel);
std::unique_ptr<Listener> listenVerbs(const Url& url, const TransportOptions& options);
std::unique_ptr<Channel> connectVerbs(const Url& url, const TransportOptions& options,
                                      std::chrono::milliseconds timeout, const Event& cancel);
TransportAvailability verbsAvailability();

}  // namespace verbcast
