// Follows a clock by time stamps that jitter: a second-order loop, after F. Adriaensen, "Using a DLL to
// filter time" (LAC 2005).
#pragma once

namespace verbcast {

/// A clock counts something: samples, or seconds of media. Now and then a stamp says what time it is by
/// another clock. The loop smooths the stamps and learns the count's period. For the first 4 s it takes the
/// stamps' mean and leaves the period alone: jitter would hide it, and clocks are close to nominal. Then its
/// bandwidth is 0.05 Hz. After 10 s the period follows ever more slowly, down to 0.01 Hz: clocks keep their
/// rate, and stamps that are all later from now on (pictures that are shown a frame later) must not look like
/// a slower clock, which would be overshot. Times are in seconds; not thread-safe.
class DelayLockedLoop {
  public:
    /// Begins at `time`, with counts that take `period` seconds each, which may be up to 1 % wrong.
    void restart(double time, double period);
    /// Begins again at `time` by the same clock: keeps the period.
    void jump(double time);
    /// When `counts` more will have passed since the last stamp.
    double expected(double counts) const { return time_ + counts * period_; }
    /// A stamp after `counts` more, above 0, that was `error` later than expected.
    void update(double counts, double error);
    /// As many counts without a stamp.
    void skip(double counts) { time_ = expected(counts); }

    double time() const { return time_; }      ///< of the last stamp, smoothed
    double period() const { return period_; }  ///< seconds for each count

  private:
    double time_ = 0, period_ = 1, nominal_ = 1;
    double age_ = 0;
};

}  // namespace verbcast
