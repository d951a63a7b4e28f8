// The ring of frame buffers: one mapping cut into slots, and the leases that say who may touch a slot.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/base/unique_fd.h"

namespace verbcast {

inline constexpr std::size_t kMaxSlots = 256;

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
    /// The slot's memory. Writable only while this is the only lease and the pool is our own.
    std::byte* data() const;
    std::uint64_t capacity() const;

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
    /// Shown the descriptor (the pool's own) before it is sealed: a trusted process that is to write into
    /// slots, such as the X server, must map it now.
    std::function<void(int descriptor)> beforeSealing{};
};

/// One mapping of anonymous shared memory (memfd), cut into page-aligned slots.
///
/// A slot is in one of three states: free (in the free set), taken (owned by a peer or by the caller of
/// takeFree()), or leased (one or more FrameLease). All functions are safe from any thread; none allocates.
class FramePool : public std::enable_shared_from_this<FramePool> {
  public:
    /// Throws Error{Usage} for counts out of range, Error{Resource} when the machine has not the memory.
    static std::shared_ptr<FramePool> create(const FramePoolOptions& options);

    /// Maps a peer's pool for reading. The descriptor must be a memfd sealed against shrinking and against
    /// new writable mappings, and as large as claimed; else Error{Peer}. All slots start as taken (the
    /// peer's).
    static std::shared_ptr<FramePool> mapPeer(UniqueFd memfd, std::uint64_t slotBytes,
                                              std::uint32_t slotCount);

    /// Maps a part of a file for reading, from `offset` on; both it and `slotBytes` are multiples of the page
    /// size, and the file must hold the whole. All slots start as taken (the caller's). A file that becomes
    /// shorter makes reading it a fault: only system calls, which give an error then, may read the slots.
    /// Null when the file cannot be mapped.
    static std::shared_ptr<FramePool> mapFile(int descriptor, std::uint64_t offset, std::uint64_t slotBytes,
                                              std::uint32_t slotCount);

    ~FramePool();
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    std::uint64_t slotBytes() const { return slotBytes_; }
    std::uint32_t slotCount() const { return slotCount_; }
    std::byte* slotData(std::uint32_t slot) const { return base_ + slot * slotBytes_; }
    std::span<std::byte> memory() const { return {base_, slotBytes_ * slotCount_}; }
    /// The memfd, sealed so that a peer can map it only for reading; owned by the pool.
    int descriptor() const { return fd_.get(); }

    /// A free slot as a lease, lowest index first; nothing when all are in use.
    std::optional<FrameLease> tryAcquire() noexcept;

    /// Waits for a free slot until the timeout or until `cancel` (may be null) is set. One thread at a time;
    /// not after wakeFrom().
    std::optional<FrameLease> acquire(std::chrono::nanoseconds timeout, const Event* cancel = nullptr);

    std::uint32_t freeCount() const noexcept;

    /// Takes every free slot out of the free set without leasing it and calls visit(slot) for each.
    template <typename Visit>
    void takeFree(Visit&& visit) noexcept {
        for (std::size_t word = 0; word < free_.size(); ++word) {
            if (free_[word].load(std::memory_order_relaxed) == 0) {
                continue;  // looked at in spin loops: an exchange costs twenty times as much
            }
            for (std::uint64_t bits = free_[word].exchange(0, std::memory_order_acq_rel); bits != 0;
                 bits &= bits - 1) {
                const auto slot =
                    static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)));
                markTaken(slot);
                visit(slot);
            }
        }
    }

    /// Turns a taken slot into a lease. Nothing when the slot does not exist or is free or leased: what a
    /// peer that breaks the protocol would ask for.
    std::optional<FrameLease> adopt(std::uint32_t slot) noexcept;

    /// True when the slot exists and is taken: a peer that was given it may write into it.
    bool isTaken(std::uint32_t slot) const noexcept;

    /// Gives every taken slot back: the peer that owned them is gone. Leased slots stay with their leases.
    void reclaimTaken() noexcept;

    /// Wakes when a slot becomes free. arm() it, look at freeCount(), then sleep on its descriptor.
    ArmedEvent& freed() { return freed_; }
    /// From now on freed() wakes only once so many slots are free (at first 1): for whoever can do nothing
    /// with fewer.
    void wakeFrom(std::uint32_t freeSlots) { wakeFrom_ = freeSlots; }

  private:
    friend class FrameLease;
    FramePool() = default;
    void addReference(std::uint32_t slot) noexcept;
    void dropReference(std::uint32_t slot) noexcept;
    void markTaken(std::uint32_t slot) noexcept;

    UniqueFd fd_;
    std::byte* base_ = nullptr;
    std::uint64_t mappedBytes_ = 0;
    std::uint64_t slotBytes_ = 0;
    std::uint32_t slotCount_ = 0;
    std::array<std::atomic<std::uint64_t>, kMaxSlots / 64> free_{};
    std::unique_ptr<std::atomic<std::uint32_t>[]> references_;
    ArmedEvent freed_;
    std::atomic<std::uint32_t> wakeFrom_{1};
};

/// Bytes of a slot that holds `payloadBytes`: rounded up to a page.
std::uint64_t slotBytesFor(std::uint64_t payloadBytes);

}  // namespace verbcast
