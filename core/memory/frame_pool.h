// The ring of frame buffers: a memory cut into slots, and the leases that say who may touch a slot.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/memory/memory.h"
#include "core/memory/slots.h"

namespace verbcast {

class FramePool;

/// The right to one slot. Move-only; the slot is free again when the last lease on it is gone.
///
/// share() makes a second lease on the same slot: a decoder keeps a reference picture while it is being sent.
/// Any thread may hold, move and destroy a lease; destruction never blocks.
class FrameLease {
  public:
    FrameLease() = default;
    FrameLease(FrameLease&& other) noexcept = default;
    FrameLease& operator=(FrameLease&& other) noexcept;
    ~FrameLease() { reset(); }

    explicit operator bool() const { return pool_ != nullptr; }
    FrameLease share() const;
    void reset() noexcept;

    std::uint32_t slot() const { return slot_; }
    const std::shared_ptr<FramePool>& pool() const { return pool_; }
    /// The slot's memory; throws Error{Internal} where the processor reaches none. Writable only while this
    /// is the only lease and the pool is our own.
    std::byte* data() const;
    std::uint64_t capacity() const;
    /// See FramePool::takenBack().
    bool takenBack() const noexcept;

  private:
    friend class FramePool;
    FrameLease(std::shared_ptr<FramePool> pool, std::uint32_t slot) : pool_(std::move(pool)), slot_(slot) {}

    std::shared_ptr<FramePool> pool_;  // shared: leases outlive the session that made the pool
    std::uint32_t slot_ = 0;
};

struct FramePoolOptions {
    std::uint64_t slotBytes = 0;  ///< payload capacity; rounded up to the page size
    std::uint32_t slotCount = 8;  ///< 1 to kMaxSlots
    bool hugePages = true;        ///< use them when enough are free, else plain pages
    /// See MemoryOptions::beforeSealing.
    std::function<void(int descriptor)> beforeSealing{};
};

/// A memory cut into page-aligned slots. All functions are safe from any thread.
class FramePool : public std::enable_shared_from_this<FramePool> {
  public:
    /// All slots free. Throws Error{Usage} for counts out of range, Error{Resource} when the machine has not
    /// the memory.
    static std::shared_ptr<FramePool> create(const FramePoolOptions& options);

    /// A peer's pool; see Memory::mapPeer(). All slots taken (the peer's). Throws Error{Peer} for a shape
    /// that cannot be or that is larger than the memory. Lifelines, if any, are sockets to who writes into
    /// the memory, closed when the pool is gone: the first to the peer; where the peer maps somebody else's
    /// pool, then those of that one, so that its owner waits for us even if the peer dies.
    static std::shared_ptr<FramePool> mapPeer(UniqueFd memfd, std::uint64_t slotBytes,
                                              std::uint32_t slotCount, std::vector<UniqueFd> lifelines = {});

    /// A part of a file, from `offset` on; see Memory::mapFile(). `slotBytes` is a multiple of the page size.
    /// All slots taken (the caller's). Null when the file cannot be mapped.
    static std::shared_ptr<FramePool> mapFile(int descriptor, std::uint64_t offset, std::uint64_t slotBytes,
                                              std::uint32_t slotCount);

    /// For DevicePool. All slots free. Throws Error{Usage} for counts out of range and more slots than the
    /// memory holds.
    static std::shared_ptr<FramePool> onDevice(std::unique_ptr<const DeviceMemory> device,
                                               std::uint64_t slotBytes, std::uint32_t slotCount);

    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    const std::shared_ptr<const Memory>& memory() const { return memory_; }
    Slots& slots() { return slots_; }
    const Slots& slots() const { return slots_; }

    std::uint64_t slotBytes() const { return slotBytes_; }
    std::uint32_t slotCount() const { return slots_.count(); }
    /// Throws Error{Internal} for memory that the processor does not reach.
    std::byte* slotData(std::uint32_t slot) const {
        std::byte* const base = memory_->bytes().data();
        return base != nullptr ? base + slot * slotBytes_ : refusePointer();
    }

    /// A free slot as a lease, lowest index first; nothing when all are in use. Does not block.
    std::optional<FrameLease> tryAcquire() noexcept;

    /// Waits for a free slot until the timeout or until `cancel` (may be null) is set. One thread at a time;
    /// not after Slots::wakeFrom().
    std::optional<FrameLease> acquire(std::chrono::nanoseconds timeout, const Event* cancel = nullptr);

    /// For a pool with a lifeline, whose connection has ended so that nobody gives slots back any more: from
    /// now on the lifeline tells the peer the number of each slot that is no longer held, in two bytes.
    void tellThroughLifeline() noexcept;
    bool tellsThroughLifeline() const noexcept { return tellsThroughLifeline_; }
    /// Somebody said through a lifeline that it waits for nobody any more: slots that are still held here
    /// may be written again, and what was read of them may be torn. Ask after reading. Costs a system call
    /// for each lifeline.
    bool takenBack() const noexcept;
    /// As in mapPeer(); for whoever passes this pool's memory on.
    const std::vector<UniqueFd>& lifelines() const { return lifelines_; }
    /// For an owner, through its end of the lifeline, before the slots are free: takenBack() there.
    static void takeBack(int lifeline) noexcept;

    /// Turns a taken slot into a lease; nothing where Slots::holdTaken() says no.
    std::optional<FrameLease> adopt(std::uint32_t slot) noexcept;

  private:
    friend class FrameLease;
    FramePool(std::shared_ptr<const Memory> memory, std::uint64_t slotBytes, std::uint32_t slotCount,
              Slots::Begin begin, std::vector<UniqueFd> lifelines = {});
    [[noreturn]] static std::byte* refusePointer();
    void release(std::uint32_t slot) noexcept;
    void tell(std::uint32_t slot) noexcept;

    const std::vector<UniqueFd> lifelines_;  // closed after the memory is given up
    std::atomic<bool> tellsThroughLifeline_{false};
    const std::shared_ptr<const Memory> memory_;  // shared with devices that have it registered
    const std::uint64_t slotBytes_;
    Slots slots_;
};

/// Bytes of a slot that holds `payloadBytes`: rounded up to a page.
std::uint64_t slotBytesFor(std::uint64_t payloadBytes);

}  // namespace verbcast
