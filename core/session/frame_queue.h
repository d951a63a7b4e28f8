// Frames on their way from the link's thread to the one that consumes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/cache.h"
#include "core/base/event.h"
#include "core/pool/frame_pool.h"
#include "core/session/frame_receiver.h"

namespace verbcast {

/// A ring for one producer and one consumer, without locks. No larger than it must be, so that its memory
/// stays in the caches.
class FrameQueue {
  public:
    /// Room for all frames of a ring of `slots` and of the one before it: a push that finds none is a bug or
    /// a peer that broke the credits.
    explicit FrameQueue(std::uint32_t slots) : ring_(2 * slots) {}

    bool push(ReceivedFrame&& frame) noexcept {
        const std::size_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == ring_.size()) {
            return false;
        }
        ring_[head % ring_.size()] = std::move(frame);
        head_.store(head + 1, std::memory_order_release);
        available_.notify();
        return true;
    }

    bool pop(ReceivedFrame& frame) noexcept {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        if (tail == head_.load(std::memory_order_acquire)) {
            return false;
        }
        frame = std::move(ring_[tail % ring_.size()]);
        ring_[tail % ring_.size()] = {};
        tail_.store(tail + 1, std::memory_order_release);
        // The next place was last used a whole round ago: it is fetched while nobody waits for it.
        prefetchForWriting(&ring_[(tail + 1) % ring_.size()], sizeof(ReceivedFrame));
        return true;
    }

    bool empty() const noexcept {
        return tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_acquire);
    }

    /// Wakes the consumer; also when the state of the stream changed.
    ArmedEvent& available() { return available_; }

  private:
    std::vector<ReceivedFrame> ring_;
    alignas(64) std::atomic<std::size_t> head_{0};
    alignas(64) std::atomic<std::size_t> tail_{0};
    ArmedEvent available_;
};

}  // namespace verbcast
