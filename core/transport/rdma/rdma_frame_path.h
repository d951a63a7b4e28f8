// The frame path of an RDMA connection: implements FramePath from a sending and a receiving part.
#pragma once

#include <memory>
#include <optional>

#include "core/transport/frame_path.h"
#include "core/transport/rdma/frame_sender.h"
#include "core/transport/rdma/ring_table.h"

namespace verbcast {

/// Whether the connection still accepts anything; its parts read this.
struct RdmaLinkState {
    bool opened = false;   ///< both greetings are known
    bool closing = false;  ///< nothing new goes out
    bool closed = false;
};

/// Owned by its RdmaConnection, and bound to the same thread; reaches() and import() may be called from any
/// thread.
class RdmaFramePath final : public TransportPath {
  public:
    /// The arguments outlive it, except options.
    RdmaFramePath(QueuePort& port, SendQueue& queue, const MessageCredits& credits, ReceiveRing& receives,
                  BackgroundTasks& tasks, const RdmaLinkState& state, const FrameSenderOptions& options);

    void setHandler(FrameHandler* handler) override;
    std::optional<Import> reaches(const Memory& memory) const override;
    Import import(const std::shared_ptr<const Memory>& memory) override;
    void prepare(const std::shared_ptr<FramePool>& pool) override {
        if (!state_.closed) {
            sender_.prepare(pool);
        }
    }
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override {
        if (!state_.closed && !state_.closing) {
            rings_.offer(ring, std::move(pool));
        }
    }
    void retire(RingId ring) override { rings_.retire(ring); }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override {
        sender_.accept(ring, shape, offer);
        return nullptr;
    }
    void forget(RingId ring) override { sender_.forget(ring); }
    Status send(const OutgoingFrame& frame) override {
        return state_.closed || state_.closing ? Status::Closed : sender_.send(frame);
    }
    std::uint64_t payloadBytesMoved() const override { return queue_.retiredPayload() + bytesArrived_; }

    // For the connection:
    void pump() { sender_.pump(); }
    void requestsRetired() {
        sender_.retire(*handler_);
        rings_.requestsRetired();
    }
    /// Returns the bytes that came with the frame. Throws Error{Peer}.
    std::uint64_t frameArrived(RingId ring, std::uint32_t slot, const FrameRecord* notice);
    RingTable& rings() { return rings_; }
    /// The queue has stopped: releases all memory.
    void drop() {
        sender_.drop();
        rings_.drop();
    }

  private:
    SendQueue& queue_;
    const RdmaLinkState& state_;
    const std::shared_ptr<PortDomain> domain_;  // shared with the port and with the device's sources
    FrameHandler* handler_;
    FrameSender sender_;
    RingTable rings_;
    std::uint64_t bytesArrived_ = 0;
};

}  // namespace verbcast
