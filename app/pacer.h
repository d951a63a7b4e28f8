// When the next frame is due.
#pragma once

#include <chrono>
#include <cstdint>

#include "app/command_line.h"
#include "core/base/event.h"

namespace verbcast {

/// Absolute deadlines, so that a late frame does not make the following ones late. After falling behind by
/// more than a second (a suspended machine, a receiver that came back) it starts anew from now.
class Pacer {
  public:
    explicit Pacer(Pacing pacing, Rational rate) : pacing_(pacing), rate_(rate) {}
    /// Waits until the frame with this index and time stamp is due. Cancelled when `cancel` is set.
    Status wait(std::uint64_t index, std::int64_t pts, Rational timeBase, const Event& cancel);
    /// The next frame is due at once.
    void restart() { started_ = false; }

  private:
    std::chrono::nanoseconds position(std::uint64_t index, std::int64_t pts, Rational timeBase) const;

    Pacing pacing_;
    Rational rate_;
    bool started_ = false;
    std::chrono::steady_clock::time_point origin_;
};

}  // namespace verbcast
