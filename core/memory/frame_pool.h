// The ring of frame buffers: memory cut into slots, and the leases that say who may touch a slot.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/event.h"
#include "core/memory/dma_buf.h"
#include "core/memory/memory.h"
#include "core/memory/slots.h"

namespace verbcast {

class FramePool;

/// The right to use one slot. Move-only; the slot becomes free when its last lease is gone.
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
    /// The slot's memory; throws Error{Internal} if the processor cannot reach it. Writable only while this
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

/// Learns which slots become free, in a pool that does not reuse them on its own.
class SlotKeeper {
  public:
    virtual ~SlotKeeper() = default;
    /// The last lease on the slot is gone: the slot is taken, by the keeper. On the thread that dropped it.
    virtual void onFree(std::uint32_t slot) noexcept = 0;
};

struct FramePoolOptions {
    std::uint64_t slotBytes = 0;  ///< payload capacity; rounded up to the page size
    std::uint32_t slotCount = 8;  ///< 1 to kMaxSlots
    bool hugePages = true;        ///< use them if enough are free, else plain pages
    /// See MemoryOptions::beforeSealing.
    std::function<void(int descriptor)> beforeSealing{};
};

/// Memory cut into page-aligned slots. All functions are safe from any thread.
class FramePool : public std::enable_shared_from_this<FramePool> {
  public:
    /// All slots start free. Throws Error{Usage} for counts out of range, Error{Resource} when the machine
    /// lacks the memory.
    static std::shared_ptr<FramePool> create(const FramePoolOptions& options);

    /// Maps a peer's pool; see Memory::mapPeer(). All slots start taken (by the peer). Throws Error{Peer} for
    /// a shape that is impossible or larger than the memory. Peer-death sockets, if any, are sockets to the
    /// writers of the memory, closed when the pool is gone: the first leads to the peer; if the peer itself
    /// maps somebody else's pool, that pool's peer-death sockets follow, so that its owner waits for us even
    /// if the peer dies.
    static std::shared_ptr<FramePool> mapPeer(UniqueFd memfd, std::uint64_t slotBytes,
                                              std::uint32_t slotCount,
                                              std::vector<UniqueFd> deathSockets = {});

    /// Maps a part of a file, starting at `offset`; see Memory::mapFile(). `slotBytes` is a multiple of the
    /// page size. All slots start taken (by the caller). Null if the file cannot be mapped.
    static std::shared_ptr<FramePool> mapFile(int descriptor, std::uint64_t offset, std::uint64_t slotBytes,
                                              std::uint32_t slotCount);

    /// Maps dma-bufs of a device that writes into them: buffer N is slot N. See Memory::mapBuffers(). All
    /// slots start free. `slotBytes` is rounded up to the page size.
    /// What the device writes must be complete before a slot is shared with others.
    static std::shared_ptr<FramePool> onBuffers(std::vector<UniqueFd> buffers, std::uint64_t slotBytes);

    /// Maps a peer's pool of dma-bufs; see Memory::mapBuffers(). Otherwise like mapPeer(): all slots
    /// start taken (by the peer).
    static std::shared_ptr<FramePool> mapPeerBuffers(std::vector<UniqueFd> buffers, std::uint64_t slotBytes,
                                                     std::uint32_t slotCount,
                                                     std::vector<UniqueFd> deathSockets = {});

    /// Like create(), in a device's memory. Throws what DeviceAllocator::allocate() throws, too.
    static std::shared_ptr<FramePool> onDevice(const DeviceAllocator& device, std::uint64_t slotBytes,
                                               std::uint32_t slotCount);

    /// Like mapPeer(), for memory that DeviceAllocator::mapShared() returned.
    static std::shared_ptr<FramePool> mapPeerDevice(std::unique_ptr<const DeviceMemory> device,
                                                    std::uint64_t slotBytes, std::uint32_t slotCount,
                                                    std::vector<UniqueFd> deathSockets);

    /// A single slot, all of that memory: taken (by the keeper) whenever nobody holds it. For a source whose
    /// frames lie in memory of their own; see Audience::slotsOf().
    static std::shared_ptr<FramePool> single(std::shared_ptr<const Memory> memory,
                                             std::weak_ptr<SlotKeeper> keeper);

    /// Another ledger of the slots of `pool`, in the same memory: for one of several who hold parts of each
    /// slot. All slots taken. `keeper`, if any, is told of slots for as long as it lives.
    static std::shared_ptr<FramePool> viewOf(const FramePool& pool, std::weak_ptr<SlotKeeper> keeper = {});

    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    const std::shared_ptr<const Memory>& memory() const { return memory_; }
    Slots& slots() { return slots_; }
    const Slots& slots() const { return slots_; }

    std::uint64_t slotBytes() const { return slotBytes_; }
    std::uint32_t slotCount() const { return slots_.count(); }
    /// For the processor to read or write a slot that is held. In a dma-buf the pointer is good until the
    /// last lease is gone, and asking for it makes what the device wrote visible. Throws Error{Internal} for
    /// memory that the processor cannot reach.
    std::byte* slotData(std::uint32_t slot) const {
        std::byte* const base = memory_->bytes().data();
        if (reads_) {
            reads_->allow(slot);
        }
        return base != nullptr ? base + slot * slotBytes_ : refusePointer();
    }

    /// Call before a peer is told that it may fill a slot, which nobody leases, of a ring of dma-bufs: the
    /// processor has read it. Slots that are leased again here, or given to a keeper, need no call.
    void endReads(std::uint32_t slot) const noexcept;

    /// Leases the free slot with the lowest index; nothing when all are in use. Does not block.
    std::optional<FrameLease> tryAcquire() noexcept;

    /// Waits for a free slot until the timeout or until `cancel` (may be null) is set. One thread at a time;
    /// not after Slots::wakeFrom().
    std::optional<FrameLease> acquire(std::chrono::nanoseconds timeout, const Event* cancel = nullptr);
    /// The same without a timeout: Ok with a lease, or Cancelled.
    Status acquire(FrameLease& lease, const Event& cancel);

    /// For a pool with a peer-death socket whose connection has ended, so that nobody returns slots any more:
    /// from now on the peer-death socket tells the peer the number of each slot that is no longer held, in
    /// two bytes.
    void tellThroughDeathSocket() noexcept;
    bool tellsThroughDeathSocket() const noexcept { return tellsThroughDeathSocket_; }
    /// Somebody said through a peer-death socket that they no longer wait: slots still held here may be
    /// overwritten, and what was read from them may be torn. Check after reading. Costs one system call per
    /// peer-death socket.
    bool takenBack() const noexcept;
    /// See mapPeer(); for passing this pool's memory on.
    const std::vector<UniqueFd>& deathSockets() const { return deathSockets_; }
    /// Called by an owner with its end of the peer-death socket, before the slots become free: sets
    /// takenBack() at the other end.
    static void takeBack(int deathSocket) noexcept;

    /// Turns a taken slot into a lease; nothing if Slots::holdTaken() refuses.
    std::optional<FrameLease> adopt(std::uint32_t slot) noexcept;

  private:
    friend class FrameLease;
    FramePool(std::shared_ptr<const Memory> memory, std::uint64_t slotBytes, std::uint32_t slotCount,
              Slots::Begin begin, std::vector<UniqueFd> deathSockets = {});
    static std::shared_ptr<FramePool> ours(std::shared_ptr<const Memory> memory, std::uint64_t slotBytes,
                                           std::size_t slotCount);
    static std::shared_ptr<FramePool> others(std::shared_ptr<const Memory> memory, std::uint64_t slotBytes,
                                             std::uint32_t slotCount,
                                             std::vector<UniqueFd> deathSockets = {});
    void keep(std::weak_ptr<SlotKeeper> keeper);
    [[noreturn]] static std::byte* refusePointer();
    void release(std::uint32_t slot) noexcept;
    void tell(std::uint32_t slot) noexcept;

    const std::vector<UniqueFd> deathSockets_;  // closed after the memory is released
    std::atomic<bool> tellsThroughDeathSocket_{false};
    const std::shared_ptr<const Memory> memory_;  // shared with devices that registered it
    const std::uint64_t slotBytes_;
    const std::unique_ptr<ProcessorReads> reads_;  // of dma-bufs; else null
    bool kept_ = false;                            // both are set before the pool is shared
    std::weak_ptr<SlotKeeper> keeper_;             // weak: leases may outlive it
    Slots slots_;
};

/// Size of a slot that holds `payloadBytes`: rounded up to a page.
std::uint64_t slotBytesFor(std::uint64_t payloadBytes);

}  // namespace verbcast
