// The transports of this program, best first: the one place that lists them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/transport/transport.h"

namespace verbcast {

struct Transport {
    std::string_view scheme;  ///< "tcp": what comes before "://"
    std::string_view label;   ///< "shared memory": what people call it
    bool namesPeers = false;  ///< addresses are scheme://name; else scheme://host:port

    /// May block for some milliseconds (it looks for devices). From any thread.
    TransportAvailability (*availability)();
    /// Throws Error{Network, Device, Resource or Usage} with a remedy. So does connect(), which blocks until
    /// connected, until the deadline, or until `cancel` is set (then there is no connection); "nobody is
    /// listening" is Error{Network}.
    std::unique_ptr<Listener> (*listen)(const Url& url, const TransportOptions& options);
    Connection (*connect)(const Url& url, const TransportOptions& options, Deadline deadline,
                          const Event& cancel);

    /// Whether an address without a scheme may mean this transport.
    bool automatic = false;
    /// Of those, the one that must work, and whose port the others share.
    bool fallback = false;
    struct Choice {
        bool worthTrying = false;
        std::string reason;  ///< "both are on this host", "no RDMA device"
    };
    /// For such an address, whether trying to connect by this transport is worth it: why, or why not. May
    /// have to resolve the host: blocks as resolve() does, until the deadline or `cancel`, and then says no.
    /// Never null where `automatic`.
    Choice (*choose)(const Url& url, Deadline deadline, const Event& cancel) = nullptr;
};

/// All of them, in the order in which an address without a scheme tries them.
std::span<const Transport> transports();
/// Null for a scheme that does not exist.
const Transport* findTransport(std::string_view scheme);
/// As findTransport(); throws Error{Usage} naming those that exist.
const Transport& transportFor(const Url& url);
/// The schemes of all of them: "shm, verbs, tcp, ofi".
std::string transportNames();
/// What an address without a scheme means to this transport: where it names its peers, the name is made from
/// the port ("port-7423"). An address that has a scheme comes back as it is.
Url addressFor(const Transport& transport, const Url& url);

}  // namespace verbcast
