// Small ordered messages between two peers: everything a session says except the frames themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/error.h"

namespace verbcast {

/// Largest session message. Fits one posted receive of the RDMA transports.
inline constexpr std::size_t kMaxMessageBytes = 4096;

/// Where a peer runs, and for whom, as this machine's kernel tells.
enum class PeerPlace {
    OtherHost,
    OtherUser,  ///< on this machine, for another user or for one that the kernel does not name
    ThisUser,   ///< on this machine, for the user who runs this process
};

/// What a user wants to know about a connection.
struct ConnectionDescription {
    std::string transport;  ///< the scheme: "verbs", "tcp", "shm", ...
    std::string local;      ///< our end: "192.168.1.2:7423"
    std::string peer;       ///< their end
    PeerPlace place = PeerPlace::OtherHost;
    std::string detail;  ///< "rxe0 port 1 GID 1 RoCE v2, IB MTU 4096, WRITE with immediate"
};

/// Receives what a channel's process() reads, on the thread that calls it.
class MessageHandler {
  public:
    virtual ~MessageHandler() = default;
    /// A whole message, in order. The bytes are valid during the call. Throws Error{Peer} if they break the
    /// protocol: process() passes that on to its caller.
    virtual void onMessage(std::span<const std::byte> message) = 0;
};

enum class Progress {
    Idle,    ///< nothing to do now
    Worked,  ///< something was handled; call again
    Closed,  ///< the peer closed or was lost: see MessageChannel::closeReason()
};

class SharedRing;

/// One connected peer. Thread-bound: every function but the destructor is called by the one thread that owns
/// the connection, and none of them blocks (but see FramePath::poll()).
///
/// Loop: while process() returns Worked, call it again; when Idle, after optional spinning, call
/// readyToSleep(); if true, sleep until waitDescriptor() is readable. The connection's FramePath takes part
/// in that loop (see there).
///
/// Transports derive from TransportChannel, stages around another channel from ChannelStage.
class MessageChannel {
  public:
    virtual ~MessageChannel() = default;
    virtual const ConnectionDescription& description() const = 0;

    /// The handler gets the messages. Set before the first process(); outlives the channel or is replaced.
    virtual void setHandler(MessageHandler* handler) = 0;

    virtual int waitDescriptor() const = 0;
    /// Does a bounded amount of work: what one call may handle does not grow with what the peer sends. If
    /// frames come through the same queue as messages, they are passed to the FramePath's handler from here.
    /// Throws Error{Peer} for protocol violations, Error{Device, Resource} for failures on our own side.
    /// Neither hangs up: the owner may still send() the reason, and then closes.
    virtual Progress process() = 0;
    /// Arms the wake-up. False if something arrived in the meantime: call process() again before sleeping.
    virtual bool readyToSleep() = 0;
    /// For a loop that sleeps whenever it is idle, after each sleep: whether waitDescriptor() was readable.
    /// Where nothing came, process() need not ask the kernel for news.
    virtual void slept(bool readable) = 0;
    /// False if looking for work is a system call that disturbs the kernel's own receiving: then sleeping at
    /// once is faster than spinning first.
    virtual bool spinHelps() const = 0;

    /// Bytes received since the connection was made, payload included: any increase shows that the peer is
    /// alive.
    virtual std::uint64_t bytesReceived() const = 0;

    /// Queues a message of 1 to kMaxMessageBytes bytes, which are copied. Busy when too many are queued:
    /// process() first. Closed when the connection has ended.
    virtual Status send(std::span<const std::byte> message) = 0;
    /// For messages that can wait and may be many: true while they leave half of the room to those that
    /// cannot wait. Once false, process() returns Worked again when that may have changed.
    virtual bool hasRoomToSpare() const = 0;

    /// Hangs up both messages and frames. Messages already queued are still delivered when the transport can
    /// do so without blocking.
    virtual void close() = 0;
    /// The peer has had its time: the destructor does not wait for it to hang up.
    virtual void giveUpPeer() = 0;
    /// Why the connection ended; empty while it is up.
    virtual const std::string& closeReason() const = 0;

    /// Set if messages and frames travel through memory that both sides map: then other threads may serve the
    /// connection. Otherwise null. Owned by the channel.
    virtual SharedRing* sharedRing() = 0;
};

/// A channel of which nothing special is said.
class TransportChannel : public MessageChannel {
  public:
    void slept(bool /*readable*/) override {}
    bool spinHelps() const override { return true; }
    void giveUpPeer() override {}
    SharedRing* sharedRing() override { return nullptr; }
};

/// Thrown by MessageChannel::process() if the peer's first bytes cannot be ours.
class NotVerbcast : public Error {
  public:
    NotVerbcast() : Error(ErrorKind::Peer, "the peer does not speak verbcast's protocol") {}
};

}  // namespace verbcast
