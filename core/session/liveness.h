// Heartbeats of one connection: when to ping, when silence means loss, and what the answers tell about the
// peer's clock.
#pragma once

#include <chrono>
#include <optional>

#include "core/session/host_clock.h"
#include "core/session/messages/messages.h"

namespace verbcast {

/// Pure: time is passed in. Used by one thread at a time.
class Liveness {
  public:
    /// `patience`: silence after which the peer counts as lost. Between hosts the first pings follow each
    /// other at once, so that the clocks are known before the first frame. `othersReceive`: threads that do
    /// not call heard() receive, too, so heard() must be called more often than pings are due.
    Liveness(std::chrono::milliseconds patience, const HostId& peer, TimestampNs now,
             bool othersReceive = false);

    /// `bytes`: arrived so far. Time in which nobody called this, since the machine was busy, is not the
    /// peer's silence.
    void heard(std::uint64_t bytes, TimestampNs now);
    /// How long the peer has been silent; nullopt until that is too long.
    std::optional<std::chrono::milliseconds> silentFor(TimestampNs now) const;
    /// Whether a ping is due; if so it counts as sent.
    bool pingDue(TimestampNs now);
    /// Returns true if another ping must follow at once.
    bool takePong(const Pong& pong, TimestampNs now);
    /// Time until pingDue() or silentFor() may have something to say, or heard() should be called again.
    std::chrono::nanoseconds untilNext(TimestampNs now) const;

    const PeerClock& clock() const { return clock_; }

  private:
    TimestampNs patience_;
    TimestampNs heardAt_;
    TimestampNs lookedAt_;
    TimestampNs lookDue_;
    TimestampNs pingedAt_ = 0;
    std::uint64_t bytes_ = 0;
    int quickPings_ = 0;
    PeerClock clock_;
};

}  // namespace verbcast
