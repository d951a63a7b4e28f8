// Takes a stream's blocks of sound, and makes runs of them whose samples have exact times.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/os/clock.h"
#include "render/sound/delay_locked_loop.h"
#include "render/sound/media_tie.h"
#include "render/sound/newest_value.h"
#include "render/sound/sound_queue.h"

namespace verbcast {

/// Used by the thread that receives the sound.
class SoundIntake {
  public:
    explicit SoundIntake(SoundQueues& queues) : queues_(queues) {}

    /// SoundPlayer::put().
    void put(const SoundFormat& format, std::int64_t pts, bool follows, std::span<const float> planar,
             TimestampNs arrivedAt);

    /// From any thread: how media time relates to when it arrives.
    const NewestValue<MediaTie>& arrivals() const { return arrivals_; }
    /// From any thread: how often blocks were lost before one.
    std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
    /// From any thread: blocks that were not taken: nobody plays them, or they make no sense.
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  private:
    bool enter(const SoundFormat& format, double stamp);
    bool follow(double stamp, bool follows, std::uint32_t rate);

    SoundQueues& queues_;
    std::optional<SoundFormat> format_;
    DelayLockedLoop clock_;  // counts samples, in media time
    double samples_ = 0;     // since its last stamp
    bool broken_ = false;    // the block before was dropped
    MediaTie arrival_;
    NewestValue<MediaTie> arrivals_;
    std::atomic<std::uint64_t> lost_{0}, dropped_{0};
};

}  // namespace verbcast
