// Bounds the memory that one incoming stream's sender may make this machine take.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/memory/frame_pool.h"

namespace verbcast {

/// Makes our own rings, and bounds those that a sender shares. A ring is freed when nobody holds a frame of
/// it any more; older rings may take as much again as is allowed. Thread-safe.
class RingMemory {
  public:
    /// `limit`: bytes of all tracks' rings together; without one, half of the memory that is free when a
    /// format is announced.
    explicit RingMemory(std::optional<std::uint64_t> limit) : limit_(limit) {}

    /// `others`: bytes of the other tracks' rings. Throws Error{Resource}, which names the limit and the
    /// option, for more than is allowed.
    std::shared_ptr<FramePool> make(std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t others);
    /// Call before mapping a ring in the sender's own memory. Only a given limit bounds that, unless `takes`:
    /// it then also makes us take memory, which is part of `others`. Throws what make() throws.
    void allow(std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t others, bool takes);
    /// The ring is there now.
    void add(const std::shared_ptr<FramePool>& pool) {
        const std::lock_guard lock(mutex_);
        std::erase_if(rings_, [](const auto& ring) { return ring.expired(); });
        rings_.push_back(pool);
    }

  private:
    void require(std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t others, std::uint64_t limit);

    const std::optional<std::uint64_t> limit_;
    std::mutex mutex_;                             // guards rings_
    std::vector<std::weak_ptr<FramePool>> rings_;  // that may still be there
};

/// Bytes of a ring; 0 for none.
std::uint64_t bytesOf(const std::shared_ptr<FramePool>& pool);

}  // namespace verbcast
