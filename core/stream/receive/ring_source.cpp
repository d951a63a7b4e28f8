#include "core/stream/receive/ring_source.h"

namespace verbcast {

const std::shared_ptr<FramePool>& RingSource::provide(std::uint64_t slotBytes) {
    std::shared_ptr<FramePool>& ring = record_.pool;
    const bool fits = ring && ring->slotBytes() >= slotBytes && ring->slotCount() == shared_.slots;
    if (!fits || !suits(*ring)) {
        ring.reset();  // before the new one: leases may keep the old one for a while
        ring = make(slotBytes);
    }
    inUse(*ring, false);
    return ring;
}

std::shared_ptr<FramePool> RingSource::make(std::uint64_t slotBytes) {
    return shared_.ringMemory.make(owner_, slotBytes, shared_.slots,
                                   path_.ownRingBytes({slotBytes, shared_.slots}));
}

void RingSource::allow(const RingShape& shape) {
    shared_.ringMemory.allow(owner_, shape.slotBytes, shape.slotCount, path_.ownRingBytes(shape));
}

void RingSource::mapped(const std::shared_ptr<FramePool>& ring, const RingShape& shape) {
    inUse(*ring, true);
    shared_.ringMemory.add(owner_, ring, path_.ownRingBytes(shape));
}

}  // namespace verbcast
