// How much of the stream the still picture of a kiosk covers.
#pragma once

#include <algorithm>
#include <chrono>

#include "core/base/os/clock.h"

namespace verbcast {

/// Starts closed. open() and close() fade from the current opacity; the caller repaints while moving(). Time
/// is passed in so that a paint and the decision to repaint agree.
class CurtainFade {
  public:
    static constexpr std::chrono::milliseconds kFade{500};

    void open(TimestampNs now) { moveTo(0, now); }
    void close(TimestampNs now) { moveTo(1, now); }
    bool opening() const { return end_ == 0; }

    /// 1: only the still is visible; 0: it is not visible at all.
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
