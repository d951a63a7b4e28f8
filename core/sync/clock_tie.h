// Converts the peer's times to our clock by the best means known: same host, PTP, or the session's estimate.
#pragma once

#include "core/session/host_clock.h"
#include "core/session/messages/frame_lock.h"

namespace verbcast {

/// Trusts PTP only while it agrees with the session's own estimate: a clock that somebody has set wrong would
/// tear the displays apart. Its error bound is thus the estimate's plus the difference of the two.
class ClockTie {
  public:
    /// From KeptClock: this host's, and the one that the peer reports; 0 if the clock is not kept.
    void setWallOffsets(TimestampNs ours, TimestampNs peers) {
        ours_ = ours;
        peers_ = peers;
    }
    ClockBy by(const PeerClock& estimate) const;
    /// Returns `peer` unchanged while nothing is known.
    TimestampNs toLocal(const PeerClock& estimate, TimestampNs peer) const;
    /// The error bound in nanoseconds.
    TimestampNs errorNs(const PeerClock& estimate) const;

  private:
    TimestampNs offset() const { return elapsedNs(peers_, ours_); }
    TimestampNs disagreement(const PeerClock& estimate) const;

    TimestampNs ours_ = 0, peers_ = 0;
};

}  // namespace verbcast
