#include "core/memory/slots.h"

namespace verbcast {

Slots::Slots(std::uint32_t count, Begin begin) : count_(count) {
    for (std::uint32_t slot = 0; slot < count_; ++slot) {
        holders_[slot].store(begin == Begin::Free ? kFree : kTaken);
        if (begin == Begin::Free) {
            markFree(slot);
        }
    }
}

std::uint32_t Slots::freeCount() const noexcept {
    int count = 0;
    for (const auto& word : free_) {
        count += __builtin_popcountll(word.load(std::memory_order_seq_cst));
    }
    return static_cast<std::uint32_t>(count);
}

std::optional<std::uint32_t> Slots::hold() noexcept {
    for (std::size_t word = 0; word < free_.size(); ++word) {
        std::uint64_t bits = free_[word].load(std::memory_order_acquire);
        while (bits != 0) {
            const std::uint64_t lowest = bits & (~bits + 1);
            if (free_[word].compare_exchange_weak(bits, bits & ~lowest, std::memory_order_acq_rel)) {
                const auto slot =
                    static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(__builtin_ctzll(lowest)));
                holders_[slot].store(1, std::memory_order_release);
                return slot;
            }
        }
    }
    return std::nullopt;
}

bool Slots::holdTaken(std::uint32_t slot) noexcept {
    std::uint32_t expected = kTaken;
    return slot < count_ && holders_[slot].compare_exchange_strong(expected, 1, std::memory_order_acq_rel);
}

void Slots::release(std::uint32_t slot) noexcept {
    std::uint32_t count = holders_[slot].load(std::memory_order_relaxed);
    // The last holder goes from 1 to "free" in one step, so that nobody sees the slot as taken in between.
    while (!holders_[slot].compare_exchange_weak(count, count == 1 ? kFree : count - 1,
                                                 std::memory_order_acq_rel)) {
    }
    if (count == 1) {
        markFree(slot);
        if (const std::uint32_t enough = wakeFrom_; enough <= 1 || freeCount() >= enough) {
            freed_.notify();
        }
    }
}

bool Slots::freeTaken(std::uint32_t slot) noexcept {
    std::uint32_t expected = kTaken;
    if (slot >= count_ ||
        !holders_[slot].compare_exchange_strong(expected, kFree, std::memory_order_acq_rel)) {
        return false;
    }
    markFree(slot);
    freed_.notify();
    return true;
}

void Slots::reclaimTaken() noexcept {
    for (std::uint32_t slot = 0; slot < count_; ++slot) {
        std::uint32_t expected = kTaken;
        if (holders_[slot].compare_exchange_strong(expected, kFree, std::memory_order_acq_rel)) {
            markFree(slot);
        }
    }
    freed_.notify();
}

}  // namespace verbcast
