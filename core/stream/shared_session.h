// One session whose tracks are viewed as streams of their own.
#pragma once

#include <memory>
#include <mutex>

#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Thread-safe.
class SharedSession {
  public:
    /// The receiver that all share; made by who comes first. Throws as FrameReceiver does.
    std::shared_ptr<FrameReceiver> open(const ReceiverOptions& options) {
        const std::lock_guard lock(mutex_);
        auto receiver = receiver_.lock();
        if (!receiver || receiver->over()) {
            receiver = std::make_shared<FrameReceiver>(options);
            receiver_ = receiver;
        }
        return receiver;
    }

  private:
    std::mutex mutex_;
    std::weak_ptr<FrameReceiver> receiver_;  // owned by those who view its tracks
};

}  // namespace verbcast
