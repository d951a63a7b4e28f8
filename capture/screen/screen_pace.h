// When a screen gives its next frame, and what all frames of screens have in common.
#pragma once

#include "capture/frame_source.h"
#include "core/base/clock.h"

namespace verbcast {

/// At most as many frames a second as were asked for; one a second when nothing changes.
class ScreenPace {
  public:
    /// Throws Error{Usage} for a rate that is none, and for a size or pixel format: a screen has its own.
    explicit ScreenPace(const SourceOptions& options);

    Rational rate() const { return rate_; }
    /// False: as fast as there is something new, the rate is only what is told to viewers.
    bool isLimited() const { return least_ > 0; }
    /// Of a frame at that rate.
    TimestampNs frameTime() const;
    /// Not before this moment, however much has changed.
    TimestampNs nextAt() const { return nextAt_; }
    /// At this moment at the latest: a new viewer is not left in the dark.
    TimestampNs repeatAt() const;
    /// A frame was taken at that moment: its pts in microseconds.
    std::int64_t taken(TimestampNs at);

    /// Opaque sRGB pixels at this rate.
    VideoFormat format(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat) const;

  private:
    Rational rate_;
    TimestampNs least_;    // between frames; 0: as fast as changes come
    TimestampNs firstAt_;  // pts 0; 0: no frame was taken yet
    TimestampNs lastAt_ = 0, nextAt_ = 0;
};

}  // namespace verbcast
