// Where --frames and --seconds end a stream.
#pragma once

#include <chrono>
#include <cstdint>

#include "app/send/send_options.h"
#include "capture/frame_source.h"
#include "core/base/clock.h"

namespace verbcast {

/// Used by the thread that submits.
class SendingLimits {
  public:
    /// Both outlive this object. `policy` is the stream's.
    SendingLimits(const SendingOptions& options, const FrameSource& source, Policy policy);

    /// The first frame is there: time counts from now on. Later calls do nothing.
    void begin();
    /// No viewer was there for so long: a live stream lasts that much longer.
    void extend(std::chrono::nanoseconds waited);
    void countSubmitted() { ++submitted_; }
    std::uint64_t submitted() const { return submitted_; }

    bool framesReached() const { return options_.frames && submitted_ >= *options_.frames; }
    bool timeReached(const VideoFormat& next) const;
    /// The largest value where the clock does not decide.
    std::chrono::nanoseconds left() const;

  private:
    bool endsByClock() const;

    const SendingOptions& options_;
    const FrameSource& source_;
    const Policy policy_;
    std::uint64_t submitted_ = 0;
    TimestampNs firstAt_ = 0;
    TimestampNs waitedNs_ = 0;  // since then
};

}  // namespace verbcast
