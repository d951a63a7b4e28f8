#include "core/stream/receive/ring_memory.h"

#include <fmt/format.h>

#include "core/memory/available_memory.h"

namespace verbcast {
namespace {

/// Saturates: a peer may claim any slot size for a shared ring.
std::uint64_t ringBytes(std::uint64_t slotBytes, std::uint32_t slots) {
    constexpr std::uint64_t kMax = 1ULL << 50;
    return slotBytes > kMax / kMaxSlots ? kMax : slotBytesFor(slotBytes) * slots;
}

}  // namespace

std::shared_ptr<FramePool> RingMemory::make(Owner owner, std::uint64_t slotBytes, std::uint32_t slots,
                                            std::uint64_t besides) {
    const std::lock_guard lock(mutex_);
    if (limit_) {
        require(owner, slotBytes, slots, besides, *limit_);
    } else if (const auto available = availableMemory()) {
        require(owner, slotBytes, slots, besides, *available / 2);
    }
    auto pool = FramePool::create({.slotBytes = slotBytes, .slotCount = slots});
    note(owner, pool, besides);
    return pool;
}

void RingMemory::allow(Owner owner, std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t besides) {
    const std::lock_guard lock(mutex_);
    const auto available = besides > 0 && !limit_ ? availableMemory() : std::nullopt;
    if (limit_ || available) {
        require(owner, slotBytes, slots, besides, limit_ ? *limit_ : *available / 2);
    }
}

void RingMemory::add(Owner owner, const std::shared_ptr<FramePool>& pool, std::uint64_t besides) {
    const std::lock_guard lock(mutex_);
    note(owner, pool, besides);
}

void RingMemory::giveBack(Owner owner) {
    const std::lock_guard lock(mutex_);
    endCurrent(owner);
}

void RingMemory::note(Owner owner, const std::shared_ptr<FramePool>& pool, std::uint64_t besides) {
    endCurrent(owner);
    rings_.push_back({pool, besides, owner});
}

void RingMemory::endCurrent(Owner owner) {
    std::erase_if(rings_, [](const Ring& ring) { return ring.pool.expired(); });
    for (Ring& ring : rings_) {
        ring.current = ring.current && ring.owner != owner;
    }
}

void RingMemory::require(Owner owner, std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t besides,
                         std::uint64_t limit) {
    std::uint64_t before = 0, others = 0;
    for (const Ring& ring : rings_) {
        const auto pool = ring.pool.lock();
        const std::uint64_t bytes = pool ? pool->memory()->bytes().size() + ring.besides : 0;
        (ring.current && ring.owner != owner ? others : before) += bytes;
    }
    const std::uint64_t needed = ringBytes(slotBytes, slots) + besides + others;
    if (needed <= limit && needed + before <= 2 * limit) {
        return;
    }
    throw Error(
        ErrorKind::Resource,
        fmt::format("{} frames of {} need {} of memory{}, but the viewer allows {} ({})", slots,
                    memoryText(slotBytes), memoryText(needed),
                    needed <= limit ? fmt::format(" beside {} of rings before", memoryText(before)) : "",
                    memoryText(limit), limit_ ? "--max-memory" : "half of what is free; see --max-memory"),
        "allow more with --max-memory SIZE, or hold fewer frames with --slots N");
}

const std::shared_ptr<FramePool>& RingSource::provide(std::uint64_t slotBytes) {
    std::shared_ptr<FramePool>& ring = record_.pool;
    const bool fits = ring && ring->slotBytes() >= slotBytes && ring->slotCount() == slots_;
    if (!fits || !suits(*ring)) {
        ring.reset();  // before the new one: leases may keep the old one for a while
        ring = make(slotBytes);
    }
    inUse(*ring, false);
    return ring;
}

std::shared_ptr<FramePool> RingSource::make(std::uint64_t slotBytes) {
    return memory_.make(owner_, slotBytes, slots_, path_.ownRingBytes({slotBytes, slots_}));
}

void RingSource::allow(const RingShape& shape) {
    memory_.allow(owner_, shape.slotBytes, shape.slotCount, path_.ownRingBytes(shape));
}

void RingSource::mapped(const std::shared_ptr<FramePool>& ring, const RingShape& shape) {
    inUse(*ring, true);
    memory_.add(owner_, ring, path_.ownRingBytes(shape));
}

}  // namespace verbcast
