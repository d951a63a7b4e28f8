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

std::uint64_t bytesOf(const std::shared_ptr<FramePool>& pool) {
    return pool ? pool->memory()->bytes().size() : 0;
}

std::shared_ptr<FramePool> RingMemory::make(std::uint64_t slotBytes, std::uint32_t slots,
                                            std::uint64_t others) {
    if (limit_) {
        require(slotBytes, slots, others, *limit_);
    } else if (const auto available = availableMemory()) {
        require(slotBytes, slots, others, *available / 2);
    }
    auto pool = FramePool::create({.slotBytes = slotBytes, .slotCount = slots});
    add(pool);
    return pool;
}

void RingMemory::allow(std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t others, bool takes) {
    const auto available = takes && !limit_ ? availableMemory() : std::nullopt;
    if (limit_ || available) {
        require(slotBytes, slots, others, limit_ ? *limit_ : *available / 2);
    }
}

void RingMemory::require(std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t others,
                         std::uint64_t limit) {
    const std::lock_guard lock(mutex_);
    std::uint64_t alive = 0;
    std::erase_if(rings_, [&alive](const std::weak_ptr<FramePool>& ring) {
        const auto pool = ring.lock();
        alive += bytesOf(pool);
        return pool == nullptr;
    });
    const std::uint64_t needed = ringBytes(slotBytes, slots) + others;
    if (needed <= limit && needed - others + alive <= 2 * limit) {
        return;
    }
    throw Error(
        ErrorKind::Resource,
        fmt::format("{} frames of {} need {} of memory{}, but the viewer allows {} ({})", slots,
                    memoryText(slotBytes), memoryText(needed),
                    alive > limit ? fmt::format(" beside {} of rings before", memoryText(alive)) : "",
                    memoryText(limit), limit_ ? "--max-memory" : "half of what is free; see --max-memory"),
        "allow more with --max-memory SIZE, or hold fewer frames with --slots N");
}

}  // namespace verbcast
