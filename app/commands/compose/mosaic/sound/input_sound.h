// The sound of one input of a mosaic, moved to the time of the picture that shows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "app/commands/send/slewed_offset.h"
#include "app/view/sound/sound_thread.h"
#include "core/base/os/event.h"
#include "core/sound/sound_format.h"
#include "render/sound/media_tie.h"

namespace verbcast {

/// A block on the mosaic's time line.
struct PlacedSound {
    SoundFormat format{};
    std::int64_t pts = 0;  ///< in 1/rate s
    TimestampNs capturedAt = 0;
    bool follows = false;         ///< nothing is missing before it
    std::vector<float> planar{};  ///< as SoundFormat says

    std::int64_t samples() const { return static_cast<std::int64_t>(planar.size() / format.channels); }
    double begin() const { return format.secondsOf(pts); }  ///< seconds
    double end() const { return format.secondsOf(pts + samples()); }
};

/// Keeps sound until a picture tells where it belongs: what the input calls `shown` is drawn into
/// the mosaic's picture of time `media`. Blocks keep the distances of their time stamps and every sample;
/// their offset follows the pictures by at most half a per cent, or at once where either begins anew. What is
/// far from the time of the picture now is kept until the pictures get there, or is dropped once they are
/// elsewhere. Thread-safe.
class InputSound final : public SoundTaker {
  public:
    /// `news` is notified when there is something new, and outlives this. `pictureDelay`: how long pictures
    /// are kept back on purpose.
    InputSound(const Event& news, std::chrono::nanoseconds pictureDelay);

    /// Adds sound of the input; `pts` on the time line of its pictures.
    void put(const SoundFormat& format, std::int64_t pts, std::span<const float> planar, bool follows,
             TimestampNs capturedAt);
    void take(const ArrivedSound& sound) override;
    /// Both in seconds.
    void pictureDrawn(double shown, double media);

    /// Whether there has ever been any.
    bool hasSounded() const;
    /// The next block that belongs near `now`: seconds on the mosaic's time line. False: there is none yet.
    bool next(double now, PlacedSound& block);

  private:
    void dropFirst();
    bool isNear(const PlacedSound& block, double now) const;
    void place(PlacedSound& block);

    const Event& news_;
    const double maxWaiting_;          // seconds
    mutable std::mutex mutex_;         // guards all that follows
    std::deque<PlacedSound> waiting_;  // on the input's time line
    double seconds_ = 0;               // of what waits
    bool sounded_ = false;
    MediaTie tie_;
    SlewedOffset offset_;
};

}  // namespace verbcast
