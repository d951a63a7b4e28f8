// When the next frame is due.
#pragma once

#include <cstdint>

#include "app/command_line.h"
#include "core/base/clock.h"

namespace verbcast {

/// Absolute deadlines, so that a late frame does not make the following ones late. After falling behind by
/// more than a second (a suspended machine, a receiver that came back) it starts anew from now.
class Pacer {
  public:
    Pacer(Pacing pacing, Rational rate) : pacing_(pacing), rate_(rate) {}
    /// The moment of the frame with this index and time stamp; `now` or earlier when it is due at once.
    TimestampNs due(std::uint64_t index, std::int64_t pts, Rational timeBase, TimestampNs now);
    /// The next frame is due at once.
    void restart() { started_ = false; }

  private:
    TimestampNs position(std::uint64_t index, std::int64_t pts, Rational timeBase) const;

    Pacing pacing_;
    Rational rate_;
    bool started_ = false;
    TimestampNs origin_ = 0;
};

}  // namespace verbcast
