// Frames on their way from the thread that serves the link to the one that consumes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/cache.h"
#include "core/base/log/trace.h"
#include "core/base/os/event.h"
#include "core/flow/received_frame.h"

namespace verbcast {

/// A lock-free ring for one producer and one consumer, no larger than it must be, so that its memory stays in
/// the caches.
class FrameInbox {
  public:
    /// Room for twice `frames`: those of rings of that many slots and of the rings before them.
    explicit FrameInbox(std::uint32_t frames) : ring_(std::size_t{2} * frames) {}

    /// Returns false if it is full: the peer has ignored its credits.
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
        VERBCAST_TRACE_FRAME(frame_taken, frame.info);
        ring_[tail % ring_.size()] = {};
        tail_.store(tail + 1, std::memory_order_release);
        // The next place was last used a whole round ago: fetch it while nobody waits for it.
        prefetchForWriting(&ring_[(tail + 1) % ring_.size()], sizeof(ReceivedFrame));
        return true;
    }

    std::size_t size() const noexcept {
        const std::size_t tail = tail_.load(std::memory_order_acquire);
        return head_.load(std::memory_order_acquire) - tail;
    }
    bool empty() const noexcept { return size() == 0; }
    bool full() const noexcept { return size() == ring_.size(); }
    /// Whether all frames of a new set of rings fit beside what waits.
    bool hasRoomForNewRings() const noexcept { return size() <= ring_.size() / 2; }

    /// Wakes the consumer; also when the state of the stream changed.
    ArmedEvent& available() { return available_; }

  private:
    std::vector<ReceivedFrame> ring_;
    alignas(64) std::atomic<std::size_t> head_{0};
    alignas(64) std::atomic<std::size_t> tail_{0};
    ArmedEvent available_;
};

}  // namespace verbcast
