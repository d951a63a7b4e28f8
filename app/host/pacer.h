// Computes when the next frame is due.
#pragma once

#include <cstdint>

#include "core/base/os/clock.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class Pacing {
    Source,  ///< as the source's time stamps say
    Rate,    ///< a fixed frame rate
    Max,     ///< as fast as the source and the receivers can
};

/// Uses absolute deadlines, so that a late frame does not delay the following ones. After falling behind by
/// more than a second (a suspended machine, a receiver that reconnected), it starts anew from now. So it does
/// when a clock that may jump goes more than 10 s forward.
class Pacer {
  public:
    /// `mayJump`: see FrameSource::mayJump().
    Pacer(Pacing pacing, Rational rate, bool mayJump = false)
        : pacing_(pacing), rate_(rate), mayJump_(mayJump) {}
    /// When the frame with this index and time stamp is due; `now` or earlier: at once.
    TimestampNs due(std::uint64_t index, std::int64_t pts, Rational timeBase, TimestampNs now);
    /// The next frame is due at once.
    void restart() { started_ = false; }
    /// Delays the following frames, since nobody could take them meanwhile.
    void postpone(TimestampNs by) { origin_ += by; }

  private:
    TimestampNs position(std::uint64_t index, std::int64_t pts, Rational timeBase) const;

    Pacing pacing_;
    Rational rate_;
    bool mayJump_;
    bool started_ = false;
    TimestampNs origin_ = 0;
};

}  // namespace verbcast
