// Frames on their way from the link's thread to the one that consumes them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "core/base/event.h"
#include "core/pool/frame_pool.h"
#include "core/session/frame_receiver.h"

namespace verbcast {

/// A ring for one producer and one consumer, without locks. It is larger than any pool, so that the slots of
/// a pool always fit; a push that does not is a bug or a peer that broke the credits.
class FrameQueue {
  public:
    bool push(ReceivedFrame&& frame) noexcept {
        const std::size_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == kCapacity) {
            return false;
        }
        ring_[head % kCapacity] = std::move(frame);
        head_.store(head + 1, std::memory_order_release);
        available_.notify();
        return true;
    }

    bool pop(ReceivedFrame& frame) noexcept {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        if (tail == head_.load(std::memory_order_acquire)) {
            return false;
        }
        frame = std::move(ring_[tail % kCapacity]);
        ring_[tail % kCapacity] = {};
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }

    bool empty() const noexcept {
        return tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_acquire);
    }

    /// Wakes the consumer; also when the state of the stream changed.
    ArmedEvent& available() { return available_; }

  private:
    static constexpr std::size_t kCapacity = 2 * kMaxSlots;
    std::array<ReceivedFrame, kCapacity> ring_;
    alignas(64) std::atomic<std::size_t> head_{0};
    alignas(64) std::atomic<std::size_t> tail_{0};
    ArmedEvent available_;
};

}  // namespace verbcast
