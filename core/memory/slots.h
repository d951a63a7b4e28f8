// Who holds which slot of a ring: pure bookkeeping, no memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/os/event.h"

namespace verbcast {

inline constexpr std::size_t kMaxSlots = 256;

/// A slot is in one of three states: free, taken (owned by a peer or by the caller of takeFree()), or held by
/// one or more holders. All functions are safe from any thread; none blocks or allocates.
class Slots {
  public:
    enum class Begin { Free, Taken };

    /// `count` is 1 to kMaxSlots. Throws Error{Resource} when there are no descriptors left.
    Slots(std::uint32_t count, Begin begin);

    std::uint32_t count() const { return count_; }
    std::uint32_t freeCount() const noexcept;

    /// Holds the lowest free slot; nothing when none is free.
    std::optional<std::uint32_t> hold() noexcept;
    /// Holds a taken slot. False if the slot does not exist, or is free or held: only a peer that breaks the
    /// protocol asks for that.
    bool holdTaken(std::uint32_t slot) noexcept;
    /// Adds a holder to a held slot.
    void share(std::uint32_t slot) noexcept { holders_[slot].fetch_add(1, std::memory_order_relaxed); }
    /// Removes a holder; after the last one the slot is free.
    void release(std::uint32_t slot) noexcept;

    /// Takes every free slot and calls visit(slot) for each.
    template <typename Visit>
    void takeFree(Visit&& visit) noexcept {
        for (std::size_t word = 0; word < free_.size(); ++word) {
            if (free_[word].load(std::memory_order_relaxed) == 0) {
                continue;  // polled in spin loops: an exchange costs twenty times as much
            }
            for (std::uint64_t bits = free_[word].exchange(0, std::memory_order_acq_rel); bits != 0;
                 bits &= bits - 1) {
                const auto slot =
                    static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)));
                holders_[slot].store(kTaken, std::memory_order_release);
                visit(slot);
            }
        }
    }
    /// True if the slot exists and is taken: the peer that owns it may write into it.
    bool isTaken(std::uint32_t slot) const noexcept {
        return slot < count_ && holders_[slot].load(std::memory_order_acquire) == kTaken;
    }
    /// Frees a taken slot that no peer may write into. False when it is free or held.
    bool freeTaken(std::uint32_t slot) noexcept;
    /// Frees every taken slot: the peer that owned them is gone. Held slots stay with their holders.
    void reclaimTaken() noexcept;

    /// Notified when a slot becomes free. Arm it, check freeCount(), then sleep on its descriptor. One waiter
    /// at a time.
    ArmedEvent& freed() { return freed_; }
    /// From now on freed() wakes only once this many slots are free (initially 1): for a waiter that needs
    /// them all.
    void wakeFrom(std::uint32_t freeSlots) { wakeFrom_ = freeSlots; }

  private:
    // Special values of holders_; any other is the number of holders.
    static constexpr std::uint32_t kTaken = 0;
    static constexpr std::uint32_t kFree = 0xffff'ffff;

    void markFree(std::uint32_t slot) noexcept {
        free_[slot / 64].fetch_or(std::uint64_t{1} << (slot % 64), std::memory_order_seq_cst);
    }

    const std::uint32_t count_;
    std::array<std::atomic<std::uint64_t>, kMaxSlots / 64> free_{};
    std::array<std::atomic<std::uint32_t>, kMaxSlots> holders_;
    ArmedEvent freed_;
    std::atomic<std::uint32_t> wakeFrom_{1};
};

}  // namespace verbcast
