// How far the still picture of a kiosk covers the stream's.
#pragma once

#include <algorithm>
#include <chrono>

#include "core/base/clock.h"

namespace verbcast {

/// Closed at first. open() and close() start a fade from wherever the present one stands; the caller paints
/// as long as moving() says so. Time is given, so that what a paint shows and whether another must follow
/// agree.
class CurtainFade {
  public:
    static constexpr std::chrono::milliseconds kFade{500};

    void open(TimestampNs now) { moveTo(0, now); }
    void close(TimestampNs now) { moveTo(1, now); }
    bool opening() const { return end_ == 0; }

    /// 1: nothing but the still is seen; 0: it is not seen at all.
    double opacity(TimestampNs now) const {
        constexpr double kFadeNs = static_cast<double>(std::chrono::nanoseconds(kFade).count());
        const double step = std::max(static_cast<double>(now - beganAt_), 0.0) / kFadeNs;
        return end_ > begin_ ? std::min(begin_ + step, end_) : std::max(begin_ - step, end_);
    }
    bool moving(TimestampNs now) const { return opacity(now) != end_; }

  private:
    void moveTo(double end, TimestampNs now) {
        if (end != end_) {
            begin_ = opacity(now);
            end_ = end;
            beganAt_ = now;
        }
    }

    double begin_ = 1;
    double end_ = 1;
    TimestampNs beganAt_ = 0;
};

}  // namespace verbcast
