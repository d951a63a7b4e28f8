// A program's stream whose sound changes its rate.
#pragma once

#include <atomic>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/sound_slots.h"

namespace verbcast::testing {

/// Sends pictures as those of clip 0 (timed_clip.h) and a tone as loud, from the first viewer until it is
/// destroyed.
class ChangingRate {
  public:
    static constexpr double kPitch = 997;

    explicit ChangingRate(const std::string& address);
    ~ChangingRate() { stop_.notify(); }

    /// From 48 to 44.1 kHz, without a break.
    void change() { changed_ = true; }

  private:
    void run();
    bool sendPicture(std::int64_t number);
    bool sendSoundUntil(double end);
    bool sendSound(std::uint32_t rate);

    const VideoFormat format_;
    const std::shared_ptr<FramePool> pictures_;
    SoundSlots sound_;
    std::int64_t blocks_ = 0;
    std::atomic<bool> changed_{false};
    Event stop_;
    Broadcast broadcast_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast::testing
