// Memory of sound that is sent.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "core/memory/frame_pool.h"
#include "core/session/messages/track.h"

namespace verbcast {

/// As many blocks as wait for receivers, and as many that are on their way. For one thread.
class SoundSlots {
  public:
    /// A slot for a block of that format. nullopt: none became free in time, or `cancel` (may be null) was
    /// set.
    std::optional<FrameLease> acquire(const SoundFormat& format, std::chrono::nanoseconds timeout,
                                      const Event* cancel = nullptr) {
        const std::uint64_t bytes = format.bytes(format.maxSamples);
        if (!pool_ || pool_->slotBytes() < bytes) {
            pool_ = FramePool::create({.slotBytes = bytes, .slotCount = 2 * kSoundSlots, .hugePages = false});
        }
        return timeout.count() == 0 ? pool_->tryAcquire() : pool_->acquire(timeout, cancel);
    }

  private:
    std::shared_ptr<FramePool> pool_;  // shared with the blocks in flight
};

}  // namespace verbcast
