// Estimates when a program began the picture that it is about to show.
#pragma once

#include <thread>

#include "core/base/os/clock.h"

namespace verbcast {

/// In ns. A program whose swaps are further apart draws when something has changed, not continuously.
inline constexpr TimestampNs kDrawsOnDemand = 40'000'000;

/// Programs do not tell when they read their events and begin to draw. But if their thread has waited for
/// something, it did so before. Used by the thread that swaps.
class DrawingStart {
  public:
    /// Call when the thread has shown a picture and turns to the next.
    void swapped();
    /// Estimates the time after which the picture being drawn shows no newer input:
    ///  - now, if the program draws on demand: it draws for what came before;
    ///  - the last swap, if the thread has not waited since: it read its events at once;
    ///  - otherwise now, less half the CPU time that the thread used since the last swap: its work before the
    ///    wait is assumed to be no more than its work on the picture.
    TimestampNs at(TimestampNs now) const;

  private:
    std::thread::id thread_;
    TimestampNs swappedAt_ = 0, computed_ = 0;
    long waits_ = 0;
};

}  // namespace verbcast
