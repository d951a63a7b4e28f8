// Which way to a peer works: an automatic transport, the sender that a multicast group's beacons announce, or
// what the address says.
#pragma once

#include <optional>
#include <string>

#include "core/session/trust/trust.h"
#include "core/transport/registry.h"

namespace verbcast {

struct Reached {
    Connection connection;  ///< empty: cancelled
    std::string reason;     ///< "both are on this host"
};

/// Connects once. An address without a scheme tries the automatic transports in order. Throws Error{Network}
/// if nobody answers on any of them, and what Transport::connect() throws. Blocks until the deadline or until
/// `cancel` is set. `key`: what a multicast group's sender must prove to have; with any other address the
/// greeting does that.
Reached connectBest(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel,
                    const std::optional<NamedKey>& key = std::nullopt);

}  // namespace verbcast
