// Ends a stream as --frames and --seconds say.
#pragma once

#include <chrono>
#include <cstdint>

#include "app/commands/send/sending_options.h"
#include "capture/frame_source.h"
#include "core/base/os/clock.h"

namespace verbcast {

/// Used by the submitting thread.
class SendingLimits {
  public:
    /// `options` and `source` must outlive this. `policy` is the stream's.
    SendingLimits(const SendingOptions& options, const FrameSource& source, Policy policy);

    /// Call at the first frame: starts the clock. Later calls do nothing.
    void begin();
    /// Call when no viewer was there for that time: a live stream lasts that much longer.
    void extend(std::chrono::nanoseconds waited);
    void countSubmitted() { ++submitted_; }
    std::uint64_t submitted() const { return submitted_; }

    bool framesReached() const { return options_.frames && submitted_ >= *options_.frames; }
    bool timeReached(const VideoFormat& next) const;
    /// The largest value if no time limit applies.
    std::chrono::nanoseconds left() const;

  private:
    bool endsByClock() const;

    const SendingOptions& options_;
    const FrameSource& source_;
    const Policy policy_;
    std::uint64_t submitted_ = 0;
    TimestampNs firstAt_ = 0;
    TimestampNs waitedNs_ = 0;  // without viewers, since then
};

}  // namespace verbcast
