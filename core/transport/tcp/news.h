// Whether it is worth a system call to ask a socket for data, or for room.
#pragma once

namespace verbcast::tcp {

/// Of one direction of a socket. In a loop that sleeps whenever it is idle, the sleep tells whether there is
/// any. What comes while the loop works, or is less than what ends a sleep (SO_RCVLOWAT), is found after a
/// few rounds. In a loop that does not sleep there may always be some. Thread-bound.
class News {
  public:
    /// After each sleep.
    void slept(bool readable) {
        sleeps_ = true;
        rest_ = readable ? 0 : rest_ == 0 ? kRounds : rest_;
    }
    /// There was no more.
    void exhausted() { rest_ = sleeps_ ? kRounds : 0; }
    /// Call once a round.
    bool expected() {
        if (rest_ == 0) {
            return true;
        }
        --rest_;
        return false;
    }

  private:
    static constexpr int kRounds = 4;
    bool sleeps_ = false;
    int rest_ = 0;  ///< rounds that need not look
};

}  // namespace verbcast::tcp
