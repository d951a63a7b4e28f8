// Bounds the memory that one incoming stream's sender may make this machine take.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/memory/frame_pool.h"

namespace verbcast {

/// Makes our own rings, and bounds those that a sender shares. Each owner (a track over one rail) has one
/// current ring; one that it had before is freed when nobody holds a frame of it any more. Thread-safe.
class RingMemory {
  public:
    using Owner = std::size_t;

    /// `limit`: bytes of all current rings together; those before may take as much again. Without one, half
    /// of the memory that is free when a format is announced.
    explicit RingMemory(std::optional<std::uint64_t> limit) : limit_(limit) {}

    /// `besides`: what the path itself needs for the ring (FramePath::ownRingBytes()). Throws
    /// Error{Resource}, which names the limit and the option, for more than is allowed.
    std::shared_ptr<FramePool> make(Owner owner, std::uint64_t slotBytes, std::uint32_t slots,
                                    std::uint64_t besides = 0);
    /// Call before mapping a ring in the sender's own memory, and add() after it. Only a given limit bounds
    /// that, unless we need memory of our own for it, too. Throws what make() throws.
    void allow(Owner owner, std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t besides);
    void add(Owner owner, const std::shared_ptr<FramePool>& pool, std::uint64_t besides);
    /// The owner has no current ring any more.
    void giveBack(Owner owner);

  private:
    struct Ring {
        std::weak_ptr<FramePool> pool;
        std::uint64_t besides;
        Owner owner;
        bool current = true;
    };
    // With mutex_ held:
    void require(Owner owner, std::uint64_t slotBytes, std::uint32_t slots, std::uint64_t besides,
                 std::uint64_t limit);
    void note(Owner owner, const std::shared_ptr<FramePool>& pool, std::uint64_t besides);
    void endCurrent(Owner owner);

    const std::optional<std::uint64_t> limit_;
    std::mutex mutex_;         // guards rings_; held while one is made
    std::vector<Ring> rings_;  // that may still be there
};

}  // namespace verbcast
