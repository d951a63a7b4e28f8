#include "core/pipe/pipe_relay.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/log/peer_log.h"

namespace verbcast {

PipeRelay::PipeRelay(const PipeSettings& settings, PipeAddress from, PipeAddress to)
    : PipeRun(settings), from_(std::move(from)), to_(std::move(to)) {}

void PipeRelay::transfer() {
    in_ = &connect<PipeSinkLink>(from_);
    waitFor([this] { return in_->offered().has_value(); });
    PipeOffer offer = *in_->offered();
    offer.blockBytes = std::min(offer.blockBytes, settings_.blockBytes);
    offer.depth = std::min(offer.depth, settings_.depth);
    offer.checksum |= settings_.checksum;
    out_ = &connect<PipeSourceLink>(to_, offer);
    waitFor([this] { return out_->accepted().has_value(); });
    const PipeAccept agreed = *out_->accepted();
    in_->accept(agreed, 2 * agreed.depth);  // half of the blocks arrive while the other half leave
    beginFlow(agreed, offer.length, "relaying");
    const PipeEnd last = moveBlocks();
    out_->finish(last);
    waitFor([this] { return out_->complete(); });
    endFlow(last);
    in_->finish();
    waitForGoodbyes();
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
