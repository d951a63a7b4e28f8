// Incoming frames: the rings that the peer may write into.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/transport/frame_path.h"
#include "core/transport/rdma/background_tasks.h"
#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/rdma/receive_ring.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/rdma/send_queue.h"

namespace verbcast {

/// Thread-bound with its connection. Destroy it after the queue has stopped.
class RingTable {
  public:
    /// The arguments outlive it. `noticesTakeReceives`: each arriving frame uses up a receive.
    RingTable(QueuePort& port, SendQueue& queue, ReceiveRing& receives, BackgroundTasks& tasks,
              bool noticesTakeReceives)
        : port_(port),
          queue_(queue),
          receives_(receives),
          tasks_(tasks),
          noticesTakeReceives_(noticesTakeReceives) {}

    /// Call before anything else; not null.
    void setHandler(FrameHandler* handler) { handler_ = handler; }

    /// See FramePath. Throws Error{Internal} for a ring id not higher than the previous one.
    void offer(RingId ring, std::shared_ptr<FramePool> pool);
    void retire(RingId ring);

    /// The peer says that a frame lies there; its record is in the table of records or in the notice that it
    /// sent. Returns that record, with no more bytes than a slot has. Throws Error{Peer} if there is no such
    /// ring or slot.
    FrameRecord arrived(RingId ring, std::uint32_t slot, const FrameRecord* notice) const;

    void requestsRetired();
    void queueWasEmpty();
    void peerSpoke();
    /// The queue has stopped.
    void drop() {
        registering_.clear();
        rings_.clear();
        closing_.clear();
        leaving_.clear();
    }

  private:
    /// A ring that the peer may use, with the table for its FrameInfos. One table per ring: the peer may use
    /// a new ring before we have read the last infos of the old one.
    struct Ring {
        RingId id;
        std::shared_ptr<FramePool> pool;  // shared with the session, whose leases outlive the connection
        std::unique_ptr<RegisteredMemory> payload;
        RegisteredBuffer infos;
        std::uint64_t payloadKey = 0;
        std::uint64_t infoKey = 0;
        bool open = false;           ///< the peer may write and has been told so
        bool opening = false;        ///< its windows are still being opened
        std::uint32_t openedBy = 0;  ///< the last request that opens them
    };
    /// Memory of a retired ring that a write already in progress may still be filling.
    struct Leaving {
        std::shared_ptr<FramePool> pool;
        RegisteredBuffer infos;
        bool oldNewsRead = false;  ///< whatever the peer says from now on, it said after that write
    };

    static Ring registerRing(PortDomain& domain, RingId id, std::shared_ptr<FramePool> pool);
    void use(Ring ring);
    void openRings();
    void open(Ring& ring);
    void close(Ring& ring);

    QueuePort& port_;
    SendQueue& queue_;
    ReceiveRing& receives_;
    BackgroundTasks& tasks_;
    const bool noticesTakeReceives_;
    FrameHandler* handler_ = nullptr;
    std::deque<Ring> rings_;
    std::vector<RingId> registering_;
    std::vector<Ring> closing_;  // retired while their windows were being opened
    std::deque<Leaving> leaving_;
    std::optional<RingId> newest_;
};

}  // namespace verbcast
