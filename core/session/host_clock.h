// Relates the peer's clock to ours.
#pragma once

#include <array>
#include <cstddef>

#include "core/base/os/clock.h"

namespace verbcast {

/// Estimates the offset between two hosts' clocks from the four time stamps of a ping-pong, as NTP does (RFC
/// 5905, section 8): offset = ((t2 - t1) + (t3 - t4)) / 2, wrong by at most half the round trip. Of the last
/// samples, the one with the shortest round trip counts. On one host both sides share a clock, and the offset
/// is exactly 0. Used by one thread.
class PeerClock {
  public:
    void setSameHost() { sameHost_ = true; }
    /// t1: ping sent (ours), t2: ping received (theirs), t3: pong sent (theirs), t4: pong received (ours).
    /// The first three come from the peer and may be anything: drops a sample in which time runs backwards,
    /// or the answer took longer than the whole round trip.
    void addSample(TimestampNs t1, TimestampNs t2, TimestampNs t3, TimestampNs t4) noexcept;
    bool known() const { return sameHost_ || count_ > 0; }
    bool sameHost() const { return sameHost_; }
    /// The peer's time stamp on our clock; unchanged until known(). Saturates if the result does not fit.
    TimestampNs toLocal(TimestampNs peer) const noexcept;
    /// The error bound in nanoseconds: half the round trip of the sample in use.
    TimestampNs errorNs() const noexcept { return sameHost_ || count_ == 0 ? 0 : best().roundTrip / 2; }

  private:
    struct Sample {
        TimestampNs offset = 0;  ///< theirs minus ours
        TimestampNs roundTrip = 0;
    };
    const Sample& best() const noexcept;

    bool sameHost_ = false;
    std::array<Sample, 16> samples_{};
    std::size_t count_ = 0;
};

}  // namespace verbcast
