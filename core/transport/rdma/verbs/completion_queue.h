// A completion queue with its event channel: poll without system calls, sleep on a descriptor.
#pragma once

#include <span>

#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {

/// Thread-bound. To sleep: arm(), poll() once more, and only if that was empty sleep on descriptor().
class CompletionQueue {
  public:
    /// Throws Error{Device} or Error{Resource}.
    CompletionQueue(ibv_context* context, int capacity);
    /// Acknowledges the events taken: ibv_destroy_cq waits for that.
    ~CompletionQueue();
    CompletionQueue(const CompletionQueue&) = delete;
    CompletionQueue& operator=(const CompletionQueue&) = delete;

    ibv_cq* get() const { return queue_.get(); }
    int descriptor() const { return channel_->fd; }

    /// Number of completions taken, 0 if there are none, negative if the device failed.
    int poll(std::span<ibv_wc> completions) noexcept {
        return ibv_poll_cq(queue_.get(), static_cast<int>(completions.size()), completions.data());
    }
    /// Takes the event of the last sleep, if it came, and requests the next one. False if the device failed.
    bool arm() noexcept;

  private:
    void takeEvent() noexcept;

    CompletionChannelHandle channel_;
    CompletionQueueHandle queue_;
    bool armed_ = false;
    unsigned unacknowledged_ = 0;
};

}  // namespace verbcast
