#include "core/pipe/pipe_relay.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/pipe/pipe_receiver.h"

namespace verbcast {

PipeRelay::PipeRelay(const PipeSettings& settings, PipeAddress from, PipeAddress to)
    : PipeRun(settings), from_(std::move(from)), to_(std::move(to)) {}

void PipeRelay::transfer() {
    connectFrom();
    waitFor([this] { return in_->offered().has_value(); });
    PipeOffer offer = *in_->offered();
    offer.blockBytes = std::min(offer.blockBytes, settings_.blockBytes);
    offer.depth = std::min(offer.depth, settings_.depth);
    offer.checksum |= settings_.checksum;
    connectTo(offer);
    waitFor([this] { return out_->accepted().has_value(); });
    const PipeAccept agreed = *out_->accepted();
    // Half of the blocks arrive while the other half leave.
    const std::uint32_t slots = 2 * agreed.depth;
    in_->accept(agreed, sinkPool(*in_, agreed.blockBytes, slots));
    beginFlow(agreed, offer.length, "relaying");
    const PipeEnd last = moveBlocks();
    out_->finish(last);
    waitFor([this] { return out_->complete(); });
    endFlow(agreed.checksum ? std::optional(last.checksum) : std::nullopt);
    in_->finish({last.bytes});
    waitForGoodbyes();
}

void PipeRelay::connectFrom() {
    connect(from_, Role::PipeReceiver,
            [this](PeerConnection peer, const LinkOptions& options) -> std::unique_ptr<PipeLink> {
                auto link = std::make_unique<PipeSinkLink>(std::move(peer), options, progress_);
                in_ = link.get();
                return link;
            });
}

void PipeRelay::connectTo(const PipeOffer& offer) {
    connect(to_, Role::PipeSender,
            [&](PeerConnection peer, const LinkOptions& options) -> std::unique_ptr<PipeLink> {
                auto link = std::make_unique<PipeSourceLink>(std::move(peer), options, progress_, offer);
                out_ = link.get();
                return link;
            });
}

PipeEnd PipeRelay::moveBlocks() {
    for (;;) {
        throwIfCancelled();
        PipeBlock block;
        std::optional<PipeEnd> last;
        waitFor([&] { return in_->pop(block) || (last = in_->endOfStream()); });
        if (last) {
            return *last;
        }
        waitFor([this] { return out_->canPush(); });
        countBytes(block.bytes);
        out_->push(movable(std::move(block)));
    }
}

/// The block in a form that the outgoing connection can send: itself, or a copy in our own memory.
PipeBlock PipeRelay::movable(PipeBlock block) {
    const auto& memory = block.lease.pool()->memory();
    if (memory != asked_) {
        asked_ = memory;
        const Import import = out_->import(memory);
        if (!import.direct) {
            tellOfPeer(LogCategory::Pipe, "blocks copied", "", "blocks are copied before they are sent: {}",
                       import.reason);
            const FramePool& from = *block.lease.pool();
            copies_ = FramePool::create({.slotBytes = from.slotBytes(), .slotCount = from.slotCount()});
        }
    }
    if (!copies_) {
        return block;
    }
    std::optional<FrameLease> lease;
    waitFor([&] { return (lease = copies_->tryAcquire()).has_value(); });
    std::memcpy(lease->data(), block.lease.data(), block.bytes);
    return {std::move(*lease), block.bytes};
}

}  // namespace verbcast
