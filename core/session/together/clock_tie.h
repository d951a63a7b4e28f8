// The peer's times on our clock, by what is known best: one host, PTP, or the session's estimate.
#pragma once

#include "core/session/host_clock.h"
#include "core/session/messages/together.h"

namespace verbcast {

/// PTP is believed only while it agrees with the session's own estimate: a clock that somebody has set wrong
/// would tear the displays apart. So its error is bounded by what the two differ and the estimate's bound.
class ClockTie {
  public:
    /// Of KeptClock: on this host, and on the peer's as it says; 0 where the clock is not kept.
    void setWallOffsets(TimestampNs ours, TimestampNs peers) {
        ours_ = ours;
        peers_ = peers;
    }
    ClockBy by(const PeerClock& estimate) const;
    /// As it is while nothing is known.
    TimestampNs toLocal(const PeerClock& estimate, TimestampNs peer) const;
    /// The bound, in nanoseconds.
    TimestampNs errorNs(const PeerClock& estimate) const;

  private:
    TimestampNs offset() const { return elapsedNs(peers_, ours_); }
    TimestampNs disagreement(const PeerClock& estimate) const;

    TimestampNs ours_ = 0, peers_ = 0;
};

}  // namespace verbcast
