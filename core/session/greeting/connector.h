// Connecting to a peer that may not be there yet, by the best transport that works, and saying why that one.
#pragma once

#include <chrono>
#include <random>
#include <string>
#include <variant>

#include "core/session/greeting/guest.h"
#include "core/transport/registry.h"

namespace verbcast {

struct Reached {
    Connection connection;  ///< none: cancelled
    std::string reason;     ///< "both are on this host"
};

/// Connects once. An address without a scheme tries the automatic transports in their order. Throws
/// Error{Network} when nobody answers on any of them, and as Transport::connect(). Blocks until the deadline
/// or until `cancel` is set.
Reached connectBest(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel);

/// Tries until somebody answers and greets. Keeps its pace over several connections: the first tries follow
/// each other quickly, later ones, and those after connections that ended at once, ever more slowly, each
/// pause somewhat different from those of others. Used by one thread.
class Connector {
  public:
    Connector(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake);

    /// A peer that has greeted, or how it ended: refused, or Stopped when `cancel` was set. Unknown hosts and
    /// refused ports are tried again, since the peer or its network may come up later, and so is a device
    /// that has worked before; Error{Usage, Device, Resource} is thrown at once, and at the deadline what
    /// failed last. Where too many others were greeting it tries again for 4 s, even after the deadline:
    /// those who say nothing are gone by then.
    std::variant<Guest, LinkEnd> meet(const Event& cancel, Deadline deadline = Deadline::never());
    /// What it says of itself in its greeting, if it is a rail.
    const std::optional<RailHello>& rail() const { return handshake_.rail; }

  private:
    void pause(const Event& cancel, Deadline deadline);

    const Url url_;
    const TransportOptions transport_;
    const HandshakeOptions handshake_;
    std::chrono::nanoseconds pause_{0};
    TimestampNs triedAt_ = 0;
    bool hadDevice_ = false;  ///< in an earlier try
    std::string lastFailure_;
    bool met_ = false;  // somebody, once
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace verbcast
