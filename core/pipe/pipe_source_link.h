// The sending end of a pipe's connection: blocks leave in order into slots that the peer has granted.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "core/base/ring_queue.h"
#include "core/flow/source_ledger.h"
#include "core/pipe/pipe_link.h"

namespace verbcast {

/// A part of the stream in a slot. The lease may be a share: nobody writes to a block in flight.
struct PipeBlock {
    FrameLease lease;
    std::uint64_t bytes = 0;  ///< at least 1, at most the agreed block size
};

class PipeSourceLink final : public PipeLink {
  public:
    static constexpr Role kRole = Role::PipeSender;
    PipeSourceLink(PeerConnection connection, const LinkOptions& options, ArmedEvent& progress,
                   const PipeOffer& offer);
    ~PipeSourceLink() override { disconnect(); }  // before the leases of blocks that it may still be reading

    // Called by one owning thread:
    std::optional<PipeAccept> accepted() const;
    bool introduced() const override { return true; }
    /// True while fewer blocks are queued or being sent than may be in flight. Blocks are contiguous from
    /// PipeAccept::start on. If memory is shared, all come from one pool.
    bool canPush() const;
    void push(PipeBlock&& block);
    /// Call after the last block.
    void finish(const PipeEnd& last);
    bool complete() const override;
    /// Whether blocks can be sent from this memory; see FramePath::import().
    Import import(const std::shared_ptr<const Memory>& memory) { return path().import(memory); }

  private:
    void onReady() override;
    void onPipeMessage(PipeMessageType type, ByteReader& reader) override;
    void onCredit(const Credit& credit) override;
    void onRing(const RingMessage& ring) override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    void onFrameSent(std::uint32_t localSlot) override;
    bool move() override;
    bool maySleep() override;

    void handleAccept(const PipeAccept& accept);
    void checkSlots() const;
    void handleDone(const PipeDone& message);
    bool sendNext();
    PipeBlock* nextInQueue();
    void blockLeft();
    bool sendEnd();

    const PipeOffer offer_;

    // Guarded by mutex_:
    RingQueue<PipeBlock> queue_{kMaxDepth};  // not yet taken by the transport
    std::optional<PipeAccept> accept_;
    std::optional<PipeEnd> end_;
    bool done_ = false;

    std::atomic<std::uint32_t> outstanding_{0};  // blocks pushed that the path is not done with

    // Serving thread only:
    std::uint32_t depth_ = 0;  // from accept_
    SourceLedger ledger_;
    RingId lastRing_ = 0;
    std::uint64_t nextSequence_ = 0;
    std::uint64_t nextOffset_ = 0;
    bool endSent_ = false;
};

}  // namespace verbcast
