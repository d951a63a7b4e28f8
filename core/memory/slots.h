// Who holds which slot of a ring: a ledger that knows no memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/event.h"

namespace verbcast {

inline constexpr std::size_t kMaxSlots = 256;

/// A slot is in one of three states: free, taken (owned by a peer or by the caller of takeFree()), or held by
/// one or more holders. All functions are safe from any thread; none blocks or allocates.
class Slots {
  public:
    enum class Begin { Free, Taken };

    /// `count` from 1 to kMaxSlots. Throws Error{Resource} when there are no descriptors left.
    Slots(std::uint32_t count, Begin begin);

    std::uint32_t count() const { return count_; }
    std::uint32_t freeCount() const noexcept;

    /// Holds a free slot, the lowest first; nothing when none is free.
    std::optional<std::uint32_t> hold() noexcept;
    /// Holds a taken slot. False when the slot does not exist, or is free or held: what a peer that breaks
    /// the protocol would ask for.
    bool holdTaken(std::uint32_t slot) noexcept;
    /// One holder more of a slot that is held.
    void share(std::uint32_t slot) noexcept;
    /// One holder less; after the last the slot is free.
    void release(std::uint32_t slot) noexcept;

    /// Takes every free slot and calls visit(slot) for each.
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
                holders_[slot].store(kTaken, std::memory_order_release);
                visit(slot);
            }
        }
    }
    /// True when the slot exists and is taken: a peer that was given it may write into it.
    bool isTaken(std::uint32_t slot) const noexcept {
        return slot < count_ && holders_[slot].load(std::memory_order_acquire) == kTaken;
    }
    /// Frees every taken slot: the peer that owned them is gone. Held slots stay with their holders.
    void reclaimTaken() noexcept;

    /// Wakes when a slot becomes free. arm() it, look at freeCount(), then sleep on its descriptor. One
    /// waiter at a time.
    ArmedEvent& freed() { return freed_; }
    /// From now on freed() wakes only once so many slots are free (at first 1): for a waiter that needs
    /// them all.
    void wakeFrom(std::uint32_t freeSlots) { wakeFrom_ = freeSlots; }

  private:
    // States of holders_ besides a count of them.
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
