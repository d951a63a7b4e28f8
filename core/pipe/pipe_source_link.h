// The sending end of a pipe's connection: blocks go out in order into slots that the peer has given.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/pipe/pipe_link.h"

namespace verbcast {

/// A part of the stream in a slot. The lease may be a share: nobody writes to a block that is on its way.
struct PipeBlock {
    FrameLease lease;
    std::uint64_t bytes = 0;  ///< at least 1, at most the block size that was agreed on
};

class PipeSourceLink final : public PipeLink {
  public:
    PipeSourceLink(std::unique_ptr<Channel> channel, const LinkOptions& options, ArmedEvent& progress,
                   const PipeOffer& offer);

    // From one owning thread:
    std::optional<PipeAccept> accepted() const;
    /// True while fewer blocks wait or are being sent than may be in flight. Blocks follow each other without
    /// a gap from PipeAccept::start on. With sharesPool() all come from one pool.
    bool canPush() const;
    void push(PipeBlock&& block);
    /// After the last block.
    void finish(const PipeEnd& last);
    bool complete() const override;
    /// Whether blocks may come from this pool, which is only mapped for reading. Only when accepted().
    bool takesReadOnly(const std::shared_ptr<FramePool>& pool) { return channel().takesReadOnly(pool); }
    /// Whether blocks may come from a ring that another process made and we can only read.
    bool takesAnyPool() const { return channelDescription().anyMemory || sharesPool(); }

  private:
    void onReady() override;
    void onPipeMessage(PipeMessageType type, ByteReader& reader) override;
    void onCredit(std::uint32_t generation, std::uint32_t slot) override;
    void onPeerSlots(std::uint32_t generation, std::uint64_t slotBytes, std::uint32_t slotCount) override;
    void onFrameSent(std::uint32_t localSlot) override;
    bool move() override;
    bool mayDoze() override;

    void handleAccept(const PipeAccept& accept);
    void handleDone(const PipeDone& message);
    bool sendNext();
    PipeBlock* nextInQueue();
    void blockLeft();
    bool sendEnd();

    const PipeOffer offer_;

    // Guarded by mutex_:
    std::deque<PipeBlock> queue_;  // not yet taken by the transport
    std::optional<PipeAccept> accept_;
    std::optional<PipeEnd> end_;
    bool done_ = false;

    std::atomic<std::uint32_t> outstanding_{0};  // blocks pushed that the channel has not done with

    // Of the serving thread:
    std::uint32_t depth_ = 0;                 // of accept_
    std::shared_ptr<FramePool> pool_;         // shared with the blocks: the channel's source pool now
    std::uint32_t generation_ = 0;            // of pool_
    std::array<FrameLease, kMaxSlots> lent_;  // with sharesPool: by slot, until the peer gives it back
    std::uint32_t lentCount_ = 0;
    std::deque<FrameLease> sending_;  // without: in order, until the transport has read them
    std::uint32_t remoteGeneration_ = 0;
    std::uint64_t remoteSlotBytes_ = 0;
    std::uint32_t remoteSlotCount_ = 0;
    std::vector<std::uint16_t> credits_;
    std::array<bool, kMaxSlots> credited_{};
    std::uint64_t nextSequence_ = 0;
    std::uint64_t nextOffset_ = 0;
    bool endSent_ = false;
};

}  // namespace verbcast
