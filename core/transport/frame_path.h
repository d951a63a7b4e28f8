// The way of frames from a source's slots into a sink's. Paths know memory, slots and lengths; they know no
// pixels, no tracks and no session.
//
// Two kinds exist. Where sharesMemory() is false (tcp, RDMA), the sink offers rings of its own and the source
// writes into their slots. Where it is true (shm), the source offers the rings that it captures into, the
// sink maps them, and a frame is only its name.
//
// Offers are opaque bytes that the session carries to the peer, inside its own messages: a path tells nothing
// about memory by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/memory/frame_pool.h"
#include "core/stats/group_stats.h"
#include "core/transport/message_channel.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// Names a ring for as long as the connection lasts; each new ring has a higher one. Below 65536.
using RingId = std::uint32_t;

/// Whether frames can leave from a memory as it lies.
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

/// A frame to send. The caller keeps the local slot leased until onFrameSent() or, where memory is shared,
/// until the session's credit for it comes back.
struct OutgoingFrame {
    std::shared_ptr<FramePool> pool{};  ///< where it lies; shared: it lives until the frame has left
    std::uint32_t localSlot = 0;        ///< in that pool
    RingId ring = 0;                    ///< the peer's ring; where memory is shared, our own
    std::uint32_t remoteSlot = 0;       ///< in that ring; where memory is shared, equal to localSlot
    FrameInfo info;
    /// The parts that travel, at most kMaxByteBlocks, all within info.payloadBytes; each lands at that
    /// offset of the remote slot. Empty: all of info.payloadBytes, from the slot's start. Read during send()
    /// only.
    std::span<const ByteBlock> blocks{};
    /// Where those parts lie in the local slot, one for one and of the same rows of as many bytes. Empty: at
    /// the offsets at which they land. Read during send() only.
    std::span<const ByteBlock> from{};
};

/// Where a frame that is about to arrive belongs.
struct FrameTarget {
    std::shared_ptr<FramePool>
        pool;  ///< shared: it lives until the payload has ended, whatever the session does
    std::uint32_t slot = 0;
};

/// Receives what a path finds. Called on the thread that serves the connection. What throws Error{Peer} here
/// passes through to the caller of process() or poll().
class FrameHandler {
  public:
    virtual ~FrameHandler() = default;

    /// The ring of offer() can be told to the peer now: send it these bytes (at most kMaxOfferBytes), which
    /// are valid during the call.
    virtual void onOfferReady(RingId ring, std::span<const std::byte> offer) = 0;

    /// At the sink, from paths that place the bytes themselves (tcp): a frame has been announced. Checks
    /// that the peer may write there and that info.payloadBytes fits, or throws Error{Peer}. onFrame() or the
    /// end of the connection follows.
    virtual FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) = 0;

    /// At the sink: a whole frame lies in that slot. All of it is the peer's word and unchecked, but that
    /// rectCount is at most kMaxFrameRects.
    virtual void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) = 0;

    /// At the sink, from paths that may lose frames: this one was sent, and will not come.
    virtual void onFrameLost(RingId /*ring*/, const FrameInfo& /*info*/) {
        throw Error(ErrorKind::Internal, "a frame was lost where none can be");
    }

    /// At the source, not where memory is shared: the transport no longer reads that local slot of the pool
    /// that the frame was in. Frames leave in order.
    virtual void onFrameSent(std::uint32_t localSlot) = 0;
};

/// What encrypting and decrypting frames has cost so far.
struct CipherWork {
    std::uint64_t bytes = 0;
    std::uint64_t nanoseconds = 0;  ///< of processor time
    std::uint64_t refused = 0;      ///< frames that were not what the peer had sealed
};

/// Largest offer: leaves room for the session's own fields in one message.
inline constexpr std::size_t kMaxOfferBytes = 512;

/// Thread-bound with its connection, but for import(). None of it blocks, but import().
///
/// A path whose frames come through the same queue as the channel's messages (shm, RDMA) is served by
/// MessageChannel::process(); its poll() is always Idle and its waitDescriptor() negative. Any other (tcp) is
/// served beside it: poll() in the same loop as process(), and sleep on both descriptors.
class FramePath {
  public:
    virtual ~FramePath() = default;

    /// Who hears of frames. Set before the first process(); outlives the path or is replaced.
    virtual void setHandler(FrameHandler* handler) = 0;
    virtual int waitDescriptor() const { return -1; }
    /// A bounded piece of work, as MessageChannel::process(). Closed: process() still gives what the peer
    /// said last, and then says Closed itself.
    virtual Progress poll() { return Progress::Idle; }
    virtual bool readyToSleep() { return true; }

    /// The sink reads the source's own ring.
    virtual bool sharesMemory() const { return false; }

    /// Source: a frame of the main track lands in any slot that the sink has given, as the sink likes:
    /// credits are so many slots, whatever their numbers, and what a slot holds is not known here.
    virtual bool sinkPlaces() const { return false; }

    /// Source: whether frames can leave from this memory. Makes what that needs (a registration), which then
    /// stays for as long as the memory lives. From any thread; may block for 0.3 s per GiB.
    virtual Import import(const std::shared_ptr<const Memory>& memory) = 0;

    /// Source: frames will come from this pool, too; before the first one of them. Registers it in the
    /// background where import() was not called before: frames wait for that. Throws Error{Resource, Device}
    /// when it cannot be used. Shared: the path keeps the pool at most as long as frames of it are in flight.
    virtual void prepare(const std::shared_ptr<FramePool>& pool) = 0;

    /// Sink, or the source where memory is shared: makes a ring that the peer may use. onOfferReady()
    /// follows, from within the call or later. Throws Error{Resource} when memory cannot be registered or
    /// locked.
    virtual void offer(RingId ring, std::shared_ptr<FramePool> pool) = 0;
    /// What offer() made is taken back: no frame can be in that ring any more, and what the peer writes there
    /// ends the connection. A payload that is just arriving keeps its memory until it has ended. Rings that
    /// were never offered are ignored.
    virtual void retire(RingId ring) = 0;

    /// The peer's offer. Where memory is shared: the peer's ring, mapped for reading, all slots taken (null
    /// elsewhere); it belongs to the caller. Throws Error{Peer} when the offer is impossible, or its ring not
    /// higher than the one before.
    virtual std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                              std::span<const std::byte> offer) = 0;
    /// What accept() took is given up: no frame will be sent into that ring any more; those in flight still
    /// arrive. Rings that were never accepted are ignored.
    virtual void forget(RingId ring) = 0;

    /// Sink: what offer() or accept() of a ring of that shape makes this path take besides.
    virtual std::uint64_t ownRingBytes(const RingShape& /*shape*/) const { return 0; }

    /// Source, where memory is shared, once for each ring that was offered: a socket on which the peer tells,
    /// once the connection has ended, which slots it does not read any more
    /// (FramePool::tellThroughLifeline()), and which ends when it reads none, has died, or never got the
    /// ring. Elsewhere none.
    virtual UniqueFd takeLifeline(RingId /*ring*/) { return {}; }

    /// Starts a frame into a ring that was accepted and not forgotten (where memory is shared: offered and
    /// not retired); process() or poll() moves the rest. Busy when as many frames are in flight as the
    /// transport allows; Closed when the connection has ended.
    virtual Status send(const OutgoingFrame& frame) = 0;

    /// Bytes of payload that have left or arrived so far: any increase shows that the peer makes progress.
    virtual std::uint64_t payloadBytesMoved() const = 0;
    /// Bytes of payload that this end's processor has copied, itself or in send() and recv(). A path that
    /// hands memory over, or lets a device move it, has nothing to count.
    virtual std::uint64_t payloadBytesCopied() const { return 0; }
    /// Nothing, where frames travel in the clear.
    virtual CipherWork cipherWork() const { return {}; }
    /// Frames reach several receivers at once, and so are whole: no receiver is sent a region of them.
    virtual bool reachesMany() const { return false; }
    /// Sink: nothing, where frames come by no group.
    virtual GroupStats groupStats() const { return {}; }
};

}  // namespace verbcast
