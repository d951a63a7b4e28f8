// Per frame: begin() over tcp, arrive(), and one credit when the lease is dropped. No copy of pixels, no
// allocation, no lock.
#include "core/flow/sink_ledger.h"

namespace verbcast {
namespace {

// Most rings of a peer that still have slots at the consumer, and those that are open. A peer that changes
// size honestly needs fewer, since the consumer holds fewer frames than that.
constexpr std::size_t kMaxRings = 72;

Error notGiven(RingId ring, std::uint32_t slot) {
    return peerError("the peer sent slot {} of ring {}, which it was not given", slot, ring);
}

}  // namespace

SinkLedger::SinkLedger(FramePath& path, TrackId track)
    : path_(path), track_(track), shares_(path.sharesMemory()) {}

void SinkLedger::provide(ComposedPart composed, RingId ring) {
    auto pool = composed.pool();
    provide(std::move(pool), ring, std::move(composed));
}

void SinkLedger::provide(std::shared_ptr<FramePool> pool, RingId ring, ComposedPart composed) {
    if (receiving_) {
        throw peerError("the peer asked for a new ring in the middle of a frame");
    }
    for (const Ring& old : rings_) {
        path_.retire(
            old.id);  // no frame follows in it; slots that the consumer still holds go back to nobody
    }
    rings_.clear();
    pool->slots().reclaimTaken();
    rings_.push_back({.id = ring, .pool = pool, .composed = std::move(composed)});
    path_.offer(ring, std::move(pool));
}

void SinkLedger::takeRing(const RingMessage& message) {
    if (!shares_) {
        throw peerError("a sender offered a ring, and it writes into ours");
    }
    // Frames of other rings came before this message, so such a ring with nothing held is finished.
    std::erase_if(rings_, [&](const Ring& old) {
        return old.deliveredCount == 0 && std::ranges::count(message.open.span(), old.id) == 0;
    });
    if (rings_.size() >= kMaxRings) {
        throw peerError("the peer offers more than {} rings at once", kMaxRings);
    }
    auto pool = path_.accept(message.ring, message.shape, message.offer);
    rings_.insert(rings_.begin(), Ring{message.ring, std::move(pool)});
}

void SinkLedger::letGo() {
    if (shares_) {
        for (const Ring& ring : rings_) {
            ring.pool->tellThroughDeathSocket();
            path_.forget(ring.id);
        }
        rings_.clear();
    }
}

SinkLedger::Ring& SinkLedger::find(RingId ring) {
    const auto found = std::ranges::find(rings_, ring, &Ring::id);
    if (found == rings_.end()) {
        throw peerError("the peer sent a frame in ring {}, which is not in use", ring);
    }
    return *found;
}

FrameTarget SinkLedger::begin(RingId id, std::uint32_t slot, const FrameInfo& info) {
    const Ring& ring = find(id);
    const ComposedPart& composed = ring.composed;
    if (!ring.pool->slots().isTaken(slot) || (composed.slots && !composed.slots->isPlaced(slot))) {
        throw notGiven(id, slot);
    }
    if (info.payloadBytes == 0 || info.payloadBytes > ring.pool->slotBytes()) {
        throw peerError("the peer sends {} bytes into a slot of {}", info.payloadBytes,
                        ring.pool->slotBytes());
    }
    receiving_ = true;
    return {ring.pool, slot,
            composed.slots ? composed.slots->within(composed.sender) : std::span<const ByteBlock>()};
}

FrameLease SinkLedger::arrive(RingId id, std::uint32_t slot, const FrameInfo& info) {
    Ring& ring = find(id);
    receiving_ = false;
    if (info.payloadBytes == 0 || info.payloadBytes > ring.pool->slotBytes()) {
        throw peerError("the peer says that {} bytes are in a slot of {}", info.payloadBytes,
                        ring.pool->slotBytes());
    }
    if (const ComposedPart& composed = ring.composed;
        composed.slots && !composed.slots->isPlaced(slot, info.pts)) {
        throw peerError(
            "the peer sent the frame of time stamp {} in slot {} of ring {}, which is not the one that it "
            "was given for it",
            info.pts, slot, id);
    }
    auto lease = ring.pool->adopt(slot);
    if (!lease) {
        throw notGiven(id, slot);
    }
    ring.delivered[slot] = true;
    ++ring.deliveredCount;
    return std::move(*lease);
}

bool SinkLedger::anyDelivered() const {
    return std::ranges::any_of(rings_, [](const Ring& ring) { return ring.deliveredCount > 0; });
}

void SinkLedger::arm() const {
    for (const Ring& ring : rings_) {
        ring.pool->slots().freed().arm();
    }
}

void SinkLedger::disarm() const {
    for (const Ring& ring : rings_) {
        ring.pool->slots().freed().disarm();
    }
}

void SinkLedger::addDescriptors(std::vector<int>& descriptors) const {
    for (const Ring& ring : rings_) {
        descriptors.push_back(ring.pool->slots().freed().descriptor());
    }
}

}  // namespace verbcast
