// When a program began the picture that it is about to show.
#pragma once

#include <thread>

#include "core/base/clock.h"

namespace verbcast {

/// A program that swaps more rarely draws when something has changed, not all the time.
inline constexpr TimestampNs kDrawsOnDemand = 40'000'000;

/// Programs tell nobody when they read their events and begin to draw; but who waited for something, did so
/// before. Used by the thread that swaps.
class DrawingStart {
  public:
    /// The thread has shown a picture and turns to the next.
    void swapped();
    /// A guess at the moment from which that next picture, which is drawn now, shows no newer input:
    ///  - now, when the program draws on demand: what came before is what it draws for;
    ///  - the last swap, when the thread has not waited since: it read its events at once;
    ///  - else half as long ago as the thread has computed since the last swap: what it does before it waits
    ///    is taken to be no more than what it does for the picture.
    TimestampNs at(TimestampNs now) const;

  private:
    std::thread::id thread_;
    TimestampNs swappedAt_ = 0, computed_ = 0;
    long waits_ = 0;
};

}  // namespace verbcast
