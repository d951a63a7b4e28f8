// Outgoing frames: from the slots of a source's pool into the peer's ring.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/same_owner.h"
#include "core/transport/block_walk.h"
#include "core/transport/frame_path.h"
#include "core/transport/rdma/background_tasks.h"
#include "core/transport/rdma/chunk_window.h"
#include "core/transport/rdma/message_credits.h"
#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/rdma/send_queue.h"
#include "core/transport/rdma/source_cache.h"

namespace verbcast {

/// Between send() and onFrameSent().
inline constexpr std::uint32_t kFramesInFlight = 2;

/// What both ends have agreed on.
struct FrameSenderOptions {
    std::uint32_t chunkBytes = kMaxRdmaWrite;
    bool immediates = true;
};

/// Thread-bound with its connection. Destroy it after the queue has stopped.
class FrameSender {
  public:
    /// Throws Error{Resource}. All arguments outlive it.
    FrameSender(QueuePort& port, SendQueue& queue, const MessageCredits& credits, BackgroundTasks& tasks,
                const FrameSenderOptions& options);

    /// See FramePath.
    void prepare(const std::shared_ptr<FramePool>& pool);
    void accept(RingId ring, const RingShape& shape, std::span<const std::byte> offer);
    void forget(RingId ring) {
        std::erase_if(targets_, [=](const Target& target) { return target.ring == ring; });
    }
    Status send(const OutgoingFrame& frame);

    /// Posts what window and queue allow, oldest frame first.
    void pump();
    /// Call after SendQueue::retire(): tells the handler which frames have left.
    void retire(FrameHandler& handler);
    /// The queue has stopped: forgets what was in flight.
    void drop();

  private:
    struct Source {
        std::weak_ptr<FramePool> pool;    ///< the session's
        SourceRegistration registration;  ///< null while it is being made
        bool of(const std::shared_ptr<FramePool>& other) const { return sameOwner(pool, other); }
    };
    struct Target {
        RingId ring = 0;
        RingShape shape;
        RingOffer offer;
    };

    /// A frame between send() and onFrameSent().
    struct FrameInFlight {
        // Shared with the session, which may drop it while the frame is in flight.
        std::shared_ptr<FramePool> pool;
        SourceRegistration registration;  ///< null: the frame is waiting for it
        // The bytes still to be posted, in our slot and in the peer's.
        BlockWalk from, into;
        std::uint32_t localSlot = 0;
        std::uint32_t remoteSlot = 0;
        std::uint32_t lastSequence = 0;
        bool complete = false;  ///< all posted; lastSequence is the notice's
        Target target;
    };

    void use(const std::shared_ptr<FramePool>& pool, const SourceRegistration& registration);
    bool pumpFrame(FrameInFlight& frame);
    PortWrite payloadWrite(FrameInFlight& frame);
    PortWrite noticeWrite(FrameInFlight& frame);
    bool sendNotice(FrameInFlight& frame);
    FrameNoticeMessage& notice(const FrameInFlight& frame) const;

    QueuePort& port_;
    SendQueue& queue_;
    const MessageCredits& credits_;
    BackgroundTasks& tasks_;
    bool immediates_;
    ChunkWindow window_;
    RegisteredBuffer notices_;     ///< one FrameNoticeMessage for each of frames_
    std::vector<Source> sources_;  ///< prepared ones
    std::vector<Target> targets_;  ///< the peer's rings that frames may go to
    std::optional<RingId> newest_;
    std::array<FrameInFlight, kFramesInFlight> frames_{};  ///< a ring in sending order
    std::uint32_t head_ = 0;
    std::uint32_t tail_ = 0;
};

}  // namespace verbcast
