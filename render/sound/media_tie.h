// Ties the media's time to ours, by when its pictures are shown or its sound arrives.
#pragma once

#include <cstdint>

#include "render/sound/delay_locked_loop.h"

namespace verbcast {

/// Smooths jitter, and gives single late events little weight. An event that is more than 100 ms early, or
/// whose media time goes back, is a step (a seek, a loop): a new tie at once. One that is more than 100 ms
/// late is ignored, and the next one that is, too, is a step (a pause, a stall). Times are in seconds; not
/// thread-safe, but small, to be copied.
class MediaTie {
  public:
    /// What the media's clock calls `media` happened at `local`. An event at the last one's media time (the
    /// same picture again) and times that are not finite are ignored.
    void add(double media, double local);
    /// Whether there was an event yet; the others need one.
    bool tied() const { return events_ > 0; }
    /// Events and repetitions so far.
    std::uint64_t events() const { return events_; }
    std::uint64_t steps() const { return steps_; }

    double mediaOf(double local) const { return media_ + (local - loop_.time()) / loop_.period(); }
    double localOf(double media) const { return loop_.expected(media - media_); }
    /// Seconds of media in a second of ours.
    double speed() const { return 1 / loop_.period(); }

  private:
    void step(double media, double local);

    DelayLockedLoop loop_;  // counts seconds of media
    double media_ = 0;      // of its last stamp
    double deviation_ = 0;  // mean error
    bool late_ = false;
    std::uint64_t events_ = 0, steps_ = 0;
};

}  // namespace verbcast
