// Sees what is on the screen and hears what a sink plays, at the same time.
#pragma once

#include <functional>
#include <vector>

#include "capture/sound_source.h"
#include "core/base/os/clock.h"
#include "tests/window/sound/timed_clip.h"
#include "tests/window/x_server.h"

namespace verbcast::testing {

/// All that it tells is of clips made by makeTimedClip(). Used by one thread.
class Witness {
  public:
    /// Both must outlive it. `monitor` is of the sink.
    Witness(SoundSource& monitor, const XServer& x) : monitor_(monitor), x_(x) {}

    static constexpr std::chrono::seconds kPatience{60};
    /// Watches until the condition holds; false if it does not in time.
    bool until(const std::function<bool()>& done, std::chrono::nanoseconds patience = kPatience);
    void watch(std::chrono::nanoseconds time);

    struct Seen {
        TimestampNs at = 0;
        Place place;
    };
    /// Each look at which a picture of a clip was shown.
    const std::vector<Seen>& seen() const { return seen_; }
    struct Heard {
        TimestampNs at = 0;          ///< its middle
        double loudness = 0;         ///< root mean square
        std::optional<Place> place;  ///< nullopt: silence, or not one place
        std::size_t first = 0;       ///< of its samples, in recording()
        std::size_t samples = 0;

        bool silent() const { return loudness < 1e-4; }
    };
    /// Each 10 ms of sound.
    const std::vector<Heard>& heard() const { return heard_; }
    std::span<const float> recording() const { return recording_; }
    std::uint32_t rate() const { return monitor_.format().rate; }

    bool sees(int clip, double from) const {
        return !seen_.empty() && seen_.back().place.clip == clip && seen_.back().place.seconds >= from;
    }
    /// Now, or a moment ago.
    bool hears(int clip) const;

  private:
    void look();
    void hear(const CapturedSound& block);

    SoundSource& monitor_;
    const XServer& x_;
    CapturedSound block_;
    std::vector<Seen> seen_;
    std::vector<Heard> heard_;
    std::vector<float> recording_;
    std::size_t taken_ = 0;  // of recording_, into heard_
    TimestampNs end_ = 0;    // of recording_
};

}  // namespace verbcast::testing
