// The rings that the frames of an incoming stream come into, and a bound on the memory that its sender may
// make this machine take.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/frame_pool.h"
#include "core/stream/receive/incoming_track.h"
#include "core/transport/frame_path.h"

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

/// Of one track over one connection: here, in main memory. Used by the thread that serves the link.
class RingSource {
  public:
    /// `owner`: of its rings, of so many slots each. `record`: the track's. All must outlive this.
    RingSource(RingMemory& memory, RingMemory::Owner owner, std::uint32_t slots, FramePath& path,
               TrackRecord& record)
        : memory_(memory), owner_(owner), slots_(slots), path_(path), record_(record) {}
    virtual ~RingSource() = default;

    /// The ring that the sender is to write into; the one before, if it fits. Throws Error{Resource, Device}.
    const std::shared_ptr<FramePool>& provide(std::uint64_t slotBytes);
    /// The sender's frames cannot reach that ring, for this reason: provide() makes another one.
    virtual void refused(const std::string& reason) { throw Error(ErrorKind::Resource, reason); }

    /// For a ring in the sender's memory: call before it is mapped, and after. Throws Error{Resource}.
    void allow(const RingShape& shape);
    void mapped(const std::shared_ptr<FramePool>& ring, const RingShape& shape);

  protected:
    virtual bool suits(const FramePool& ring) const { return ring.memory()->device() == nullptr; }
    virtual std::shared_ptr<FramePool> make(std::uint64_t slotBytes);
    /// Frames will come into that ring, ours or the sender's.
    virtual void inUse(const FramePool& /*ring*/, bool /*sendersOwn*/) {}

  private:
    RingMemory& memory_;
    const RingMemory::Owner owner_;
    const std::uint32_t slots_;
    FramePath& path_;
    TrackRecord& record_;
};

}  // namespace verbcast
