// The receiving end of a pipe's connection: a ring that the sender may write into, credits for it, and
// arriving blocks.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "core/pipe/pipe_link.h"
#include "core/pipe/pipe_source_link.h"

namespace verbcast {

class PipeSinkLink final : public PipeLink {
  public:
    PipeSinkLink(std::unique_ptr<Channel> channel, const LinkOptions& options, ArmedEvent& progress);

    // From one owning thread:
    std::optional<PipeOffer> offered() const;
    /// Answers the offer; blocks follow. `pool` holds what was agreed on; null with sharesPool().
    void accept(const PipeAccept& accept, std::shared_ptr<FramePool> pool);
    /// The next block, in order. Dropping its lease lets the sender write there again.
    bool pop(PipeBlock& block);
    /// Once all blocks before it were popped.
    std::optional<PipeEnd> endOfStream() const;
    /// All is written and flushed: tells the sender, waits for its goodbye, and ends run().
    void finish(const PipeDone& done);
    bool complete() const override;

  private:
    void onPipeMessage(PipeMessageType type, ByteReader& reader) override;
    void onCredit(std::uint32_t generation, std::uint32_t slot) override;
    void onPeerPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    void onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) override;
    bool move() override;
    void armExtra() override;
    void disarmExtra() override;
    void addExtraDescriptors(std::vector<int>& descriptors) const override;

    void takeBlock(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info);
    bool sendAccept();
    bool giveCredits();
    bool sendDone();
    void handleOffer(const PipeOffer& offer);
    void handleEnd(const PipeEnd& end);

    // Guarded by mutex_:
    std::deque<PipeBlock> queue_;  // arrived; as many as there are slots at most
    std::optional<PipeOffer> offer_;
    std::optional<PipeAccept> accept_;
    std::optional<PipeEnd> end_;
    std::optional<PipeDone> done_;
    std::uint64_t arrivedBytes_ = 0;  // PipeAccept::start included

    // Of the serving thread:
    std::shared_ptr<FramePool> pool_;  // shared with the blocks' leases
    std::uint32_t generation_ = 0;     // of pool_
    /// Credits that are worth a message. The sender has the others, so it does not wait for these.
    std::uint32_t creditsAtOnce_ = 1;
    std::uint64_t nextSequence_ = 0;
    bool acceptSent_ = false;
    bool doneSent_ = false;
};

}  // namespace verbcast
