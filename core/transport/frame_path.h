// How frames get from a source's slots into a sink's. Paths know memory, slots and lengths, but no pixels, no
// tracks and no session.
//
// Two kinds exist. If sharesMemory() is false (tcp, RDMA), the sink offers rings of its own and the source
// writes into their slots. If it is true (shm), the source offers the rings that it captures into, the sink
// maps them, and sending a frame means naming its slot.
//
// Offers are opaque bytes that the session carries to the peer, inside its own messages: a path itself sends
// nothing about memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/base/os/unique_fd.h"
#include "core/memory/frame_pool.h"
#include "core/stats/path_stats.h"
#include "core/transport/message_channel.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// Identifies a ring for the life of the connection; each new ring has a higher id. Below 65536.
using RingId = std::uint32_t;

/// Whether frames can be sent directly from some memory.
struct Import {
    bool direct = true;
    std::string reason;  ///< when not direct: why the bytes must be copied into other memory first

    static Import needsCopy(std::string why) { return {false, std::move(why)}; }
};

struct RingShape {
    std::uint64_t slotBytes = 0;
    std::uint32_t slotCount = 0;
};

/// `rows` runs of `rowBytes` bytes, `stride` bytes apart, the first `offset` bytes into the slot: a rectangle
/// of a plane.
struct ByteBlock {
    std::uint64_t offset = 0;
    std::uint64_t rowBytes = 0;
    std::uint64_t stride = 0;
    std::uint64_t rows = 1;
};
static_assert(sizeof(ByteBlock) == 32);

/// Rectangles of a frame times planes of a picture.
inline constexpr std::size_t kMaxByteBlocks = 64;

/// A frame to send. The caller keeps the local slot leased until onFrameSent() or, if memory is shared, until
/// the session's credit for it comes back.
struct OutgoingFrame {
    std::shared_ptr<FramePool> pool{};  ///< where it lies; shared: kept alive until the frame has left
    std::uint32_t localSlot = 0;        ///< within that pool
    RingId ring = 0;                    ///< the peer's ring; if memory is shared, our own
    std::uint32_t remoteSlot = 0;       ///< within that ring; if memory is shared, equal to localSlot
    FrameInfo info;
    /// The parts that travel, at most kMaxByteBlocks, all within info.payloadBytes; each lands at its offset
    /// in the remote slot. Empty: all of info.payloadBytes, from the slot's start. Read only during send().
    std::span<const ByteBlock> blocks{};
    /// Where those parts lie in the local slot, one for each block, with the same number of rows and bytes
    /// per row. Empty: at the offsets where they land. Read only during send().
    std::span<const ByteBlock> from{};
};

/// Where a frame that is about to arrive goes.
struct FrameTarget {
    std::shared_ptr<FramePool>
        pool;  ///< shared: kept alive until the payload has ended, whatever the session does
    std::uint32_t slot = 0;
    /// What of the slot may be written; empty: all of it. Valid until the next call to the handler.
    std::span<const ByteBlock> within{};
};

/// Called by a path, on the thread that serves the connection. An Error{Peer} thrown here propagates to the
/// caller of process() or poll().
class FrameHandler {
  public:
    virtual ~FrameHandler() = default;

    /// The ring of offer() can be announced to the peer now: send it these bytes (at most kMaxOfferBytes),
    /// which are valid during the call.
    virtual void onOfferReady(RingId ring, std::span<const std::byte> offer) = 0;

    /// The ring of offer() lies in device memory that the peer's frames cannot reach over this path, for this
    /// reason: it counts as retired. Another may be offered, even from within the call.
    virtual void onOfferRefused(RingId /*ring*/, const std::string& reason) {
        throw Error(ErrorKind::Resource, reason);
    }

    /// At the sink, from paths that place the bytes themselves (tcp): a frame has been announced. Checks that
    /// the peer may write there and that info.payloadBytes fits, or throws Error{Peer}. onFrame() or the end
    /// of the connection follows.
    virtual FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) = 0;

    /// At the sink: a whole frame lies in that slot. Everything is the peer's claim and unchecked, except
    /// that rectCount is at most kMaxFrameRects.
    virtual void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) = 0;

    /// At the sink, from paths that may lose frames: this one was sent but will not arrive.
    virtual void onFrameLost(RingId /*ring*/, const FrameInfo& /*info*/) {
        throw Error(ErrorKind::Internal, "a frame was lost where none can be");
    }

    /// At the source, from paths that may lose frames: the peer gave up the frame whose onFrameSent()
    /// follows.
    virtual void onFrameGivenUp() {}

    /// At the source, unless memory is shared: the transport no longer reads that local slot of the frame's
    /// pool. Frames leave in order.
    virtual void onFrameSent(std::uint32_t localSlot) = 0;
};

/// Largest offer: leaves room for the session's own fields in one message.
inline constexpr std::size_t kMaxOfferBytes = 512;

/// Bound to its connection's thread, except reaches() and import(). Nothing blocks, except
/// import(); and poll() may wait for the next piece of a frame that is coming fast, for some milliseconds at
/// most.
///
/// If a path's frames come through the same queue as the channel's messages (shm, RDMA),
/// MessageChannel::process() serves it; its poll() is always Idle and its waitDescriptor() negative. Any
/// other path (tcp) is served beside the channel: call poll() in the same loop as process(), and sleep on
/// both descriptors.
///
/// Transports derive from TransportPath, stages around another path from PathStage.
class FramePath {
  public:
    virtual ~FramePath() = default;

    /// The handler is told about frames. Set before the first process(); outlives the path or is replaced.
    virtual void setHandler(FrameHandler* handler) = 0;
    virtual int waitDescriptor() const = 0;
    /// Does a bounded amount of work, like MessageChannel::process(). Closed: process() still delivers what
    /// the peer said last, and then returns Closed itself.
    virtual Progress poll() = 0;
    virtual bool readyToSleep() = 0;
    virtual void slept(bool readable) = 0;

    /// The sink reads the source's own ring.
    virtual bool sharesMemory() const = 0;

    /// Source: the sink decides which of its granted slots a frame of that track lands in: credits only
    /// count slots, whatever their numbers, and the source does not know what a slot holds.
    virtual bool sinkPlaces(std::uint16_t track) const = 0;

    /// Source, if memory is shared: the peer uses that device (DeviceMemory::sharingId(); "": none), so rings
    /// there can be offered to it. Call before the first reaches().
    virtual void peerUsesDevice(const std::string& sharingId) = 0;
    /// Sink, if memory is shared: accept the peer's rings in that device. Call before the first accept().
    /// Shared with the consumer; may be null.
    virtual void useDevice(const std::shared_ptr<const DeviceAllocator>& device) = 0;

    /// Source: whether frames can be sent from this memory; nullopt: import() has to set up something first.
    /// Safe from any thread.
    virtual std::optional<Import> reaches(const Memory& memory) const = 0;
    /// Source: the same, once what that needs is set up (a registration), which lasts as long as the memory
    /// lives. Safe from any thread; may block for 0.3 s per GiB.
    virtual Import import(const std::shared_ptr<const Memory>& memory) = 0;

    /// Source: frames will also come from this pool; call before the first of them. Registers it in the
    /// background if import() was not called before: frames wait for that. Throws Error{Resource, Device} if
    /// it cannot be used. Shared: the path keeps the pool at most as long as its frames are in flight.
    virtual void prepare(const std::shared_ptr<FramePool>& pool) = 0;

    /// Sink, or the source if memory is shared: makes a ring available to the peer. onOfferReady() follows,
    /// from within the call or later; for a ring in device memory possibly onOfferRefused(). Throws
    /// Error{Resource} when memory cannot be registered or locked.
    virtual void offer(RingId ring, std::shared_ptr<FramePool> pool) = 0;
    /// Withdraws what offer() made: that ring can hold no more frames, and a peer that writes there ends the
    /// connection. A payload that is arriving keeps its memory until it has ended. Rings that were never
    /// offered are ignored.
    virtual void retire(RingId ring) = 0;

    /// Takes the peer's offer. If memory is shared: returns the peer's ring, mapped for reading, all slots
    /// taken (null otherwise); the caller owns it. Throws Error{Peer} if the offer is impossible, or its ring
    /// id not higher than the previous one.
    virtual std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                              std::span<const std::byte> offer) = 0;
    /// Gives up what accept() took: no more frames will be sent into that ring; those in flight still arrive.
    /// Rings that were never accepted are ignored.
    virtual void forget(RingId ring) = 0;

    /// Sink: memory that this path itself needs for offer() or accept() of a ring of that shape.
    virtual std::uint64_t ownRingBytes(const RingShape& shape) const = 0;

    /// Source, if memory is shared, once for each ring offered: a socket on which the peer tells, once the
    /// connection has ended, which slots it no longer reads (FramePool::tellThroughDeathSocket()), and which
    /// closes when it reads none, has died, or never got the ring. Otherwise none.
    virtual UniqueFd takeDeathSocket(RingId ring) = 0;

    /// Starts sending a frame into a ring that was accepted and not forgotten (if memory is shared: offered
    /// and not retired); process() or poll() moves the rest. Busy when as many frames are in flight as the
    /// transport allows; Closed when the connection has ended.
    virtual Status send(const OutgoingFrame& frame) = 0;

    /// Payload bytes that have left or arrived so far: any increase shows that the peer makes progress.
    virtual std::uint64_t payloadBytesMoved() const = 0;
    /// Payload bytes that this end's processor has copied, itself or in send() and recv(). A path that hands
    /// memory over, or lets a device move it, has none.
    virtual std::uint64_t payloadBytesCopied() const = 0;
    virtual CipherWork cipherWork() const = 0;
    /// Frames reach several receivers at once, so they are sent whole: no receiver gets a region.
    virtual bool reachesMany() const = 0;
    /// Source: this peer has taken all that has left; what it was sent besides waits for other receivers.
    virtual bool waitsForOthers() const = 0;
    /// Sink: all zero if frames do not come by a group.
    virtual GroupStats groupStats() const = 0;
};

/// A path of which nothing special is said: it is served by its channel's process(), copies frames from any
/// memory that it reaches to one peer, in the clear, and loses none.
class TransportPath : public FramePath {
  public:
    int waitDescriptor() const override { return -1; }
    Progress poll() override { return Progress::Idle; }
    bool readyToSleep() override { return true; }
    void slept(bool /*readable*/) override {}
    bool sharesMemory() const override { return false; }
    bool sinkPlaces(std::uint16_t /*track*/) const override { return false; }
    void peerUsesDevice(const std::string& /*sharingId*/) override {}
    void useDevice(const std::shared_ptr<const DeviceAllocator>& /*device*/) override {}
    Import import(const std::shared_ptr<const Memory>& memory) override { return reaches(*memory).value(); }
    std::uint64_t ownRingBytes(const RingShape& /*shape*/) const override { return 0; }
    UniqueFd takeDeathSocket(RingId /*ring*/) override { return {}; }
    std::uint64_t payloadBytesCopied() const override { return 0; }
    CipherWork cipherWork() const override { return {}; }
    bool reachesMany() const override { return false; }
    bool waitsForOthers() const override { return false; }
    GroupStats groupStats() const override { return {}; }
};

}  // namespace verbcast
