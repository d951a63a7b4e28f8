// Decides when a screen yields its next frame, and what all screens' frames have in common.
#pragma once

#include "capture/frame_source.h"
#include "core/base/os/clock.h"

namespace verbcast {

/// At most the requested frames per second; one per second while nothing changes.
class ScreenPace {
  public:
    /// Throws Error{Usage} for an invalid rate, and for a size or pixel format: a screen has its own.
    explicit ScreenPace(const SourceOptions& options);

    Rational rate() const { return rate_; }
    /// False: as fast as something is new; the rate is then only what viewers are told.
    bool isLimited() const { return least_ > 0; }
    /// The time of a frame at that rate.
    TimestampNs frameTime() const;
    /// Earliest time of the next frame, however much has changed.
    TimestampNs nextAt() const { return nextAt_; }
    /// Latest time of the next frame, so that a new viewer soon sees something.
    TimestampNs repeatAt() const;
    /// Records a frame taken at that time and returns its pts in microseconds.
    std::int64_t taken(TimestampNs at);

    /// Opaque sRGB pixels at this rate.
    VideoFormat format(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat) const;

  private:
    Rational rate_;
    TimestampNs least_;    // minimum between frames; 0: as fast as changes come
    TimestampNs firstAt_;  // time of pts 0; 0: no frame taken yet
    TimestampNs lastAt_ = 0, nextAt_ = 0;
};

}  // namespace verbcast
