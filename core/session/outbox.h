// Passes messages from other threads to the one that serves a link.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/base/wire.h"
#include "core/session/service_loop.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// May outlive the link: put() then drops every message. Bounded: drops a message if there is no room.
class Outbox {
  public:
    explicit Outbox(ServiceLoop& loop) : loop_(&loop) {}

    /// From any thread. Returns false if the message was dropped.
    template <typename Message>
    bool put(const Message& message) noexcept {
        try {
            std::vector<std::byte> bytes = encodeMessage(message);
            const std::lock_guard lock(mutex_);
            if (loop_ == nullptr || queue_.size() == kMaxWaiting) {
                return false;
            }
            queue_.push(std::move(bytes));
            any_ = true;
            loop_->wake();
            return true;
        } catch (...) {
            return false;  // no memory
        }
    }

    // For the link:
    /// On the thread that serves it. Returns true if it sent anything.
    bool flush(MessageChannel& channel) {
        if (!any_.load(std::memory_order_relaxed)) {
            return false;
        }
        const std::lock_guard lock(mutex_);
        bool worked = false;
        while (!queue_.empty() && channel.hasRoomToSpare() && channel.send(queue_.front()) == Status::Ok) {
            queue_.drop();
            worked = true;
        }
        any_ = !queue_.empty();
        return worked;
    }
    /// Call before the link is destroyed.
    void close() noexcept {
        const std::lock_guard lock(mutex_);
        loop_ = nullptr;
    }

  private:
    static constexpr std::size_t kMaxWaiting = 512;

    std::mutex mutex_;  // guards loop_ and queue_
    ServiceLoop* loop_;
    RingQueue<std::vector<std::byte>> queue_;
    std::atomic<bool> any_{false};  // read without the lock
};

}  // namespace verbcast
