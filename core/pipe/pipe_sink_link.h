// The receiving end of a pipe's connection: a ring that the sender may write into, credits for it, and
// arriving blocks.
#pragma once

#include <memory>
#include <optional>

#include "core/flow/sink_ledger.h"
#include "core/pipe/pipe_link.h"
#include "core/pipe/pipe_source_link.h"

namespace verbcast {

class PipeSinkLink final : public PipeLink {
  public:
    static constexpr Role kRole = Role::PipeReceiver;
    PipeSinkLink(PeerConnection connection, const LinkOptions& options, ArmedEvent& progress);
    ~PipeSinkLink() override { disconnect(); }  // before the ring that it may still be writing into

    // Called by one owning thread:
    std::optional<PipeOffer> offered() const;
    bool introduced() const override { return offered().has_value(); }
    /// Answers the offer; blocks follow into a ring of `slots` of ours, or the peer's if memory is shared.
    void accept(const PipeAccept& accept, std::uint32_t slots);
    /// The next block, in order. Dropping its lease lets the sender write to that slot again.
    bool pop(PipeBlock& block);
    /// The end of the stream, once all blocks before it were popped.
    std::optional<PipeEnd> endOfStream() const;
    /// Everything is written and flushed: tells the sender, waits for its goodbye, and ends run().
    void finish();
    bool complete() const override;

  private:
    void onPipeMessage(PipeMessageType type, ByteReader& reader) override;
    void onCredit(const Credit& credit) override;
    void onRing(const RingMessage& ring) override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    bool move() override;
    void armExtra() override { ledger_.arm(); }
    void disarmExtra() override { ledger_.disarm(); }
    void addExtraDescriptors(std::vector<int>& descriptors) const override {
        ledger_.addDescriptors(descriptors);
    }

    void takeBlock(RingId ring, std::uint32_t slot, const FrameInfo& info);
    bool provideRing();
    void sendAccept();
    bool giveCredits();
    bool sendDone();
    void handleOffer(const PipeOffer& offer);
    void handleEnd(const PipeEnd& end);

    // Guarded by mutex_:
    RingQueue<PipeBlock> queue_;  // arrived blocks; at most as many as there are slots
    std::optional<PipeOffer> offer_;
    std::optional<PipeAccept> accept_;
    std::shared_ptr<FramePool> pool_;  // until handed to the ledger
    std::optional<PipeEnd> end_;
    bool done_ = false;
    std::uint64_t arrivedBytes_ = 0;  // including PipeAccept::start

    // Serving thread only:
    SinkLedger ledger_;
    /// How many credits are worth a message. The sender holds the others, so it does not wait for these.
    std::uint32_t creditsAtOnce_ = 1;
    std::uint64_t nextSequence_ = 0;
    bool acceptBegun_ = false;
    bool acceptSent_ = false;
    bool doneSent_ = false;
};

}  // namespace verbcast
