// This program's transports, best first: the one place that lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/transport/transport.h"

namespace verbcast {

struct Transport {
    std::string_view scheme;  ///< "tcp": what comes before "://"
    std::string_view label;   ///< "shared memory": its name for users
    bool namesPeers = false;  ///< addresses are scheme://name; else scheme://host:port
    bool reachesOtherHosts = true;
    /// FramePath::sharesMemory() of its connections.
    bool sharesMemory = false;
    /// Frames in a device's memory may leave from there, and arrive in one; else they are copied.
    bool reachesDevices = false;
    /// The address's option that names an RDMA device; empty: it uses none.
    std::string_view rdmaOption{};
    bool usesRdma() const { return !rdmaOption.empty(); }
    /// Never works without an RDMA device.
    bool needsRdma = false;
    /// MessageChannel::spinHelps() of its connections.
    bool spinHelps = true;
    /// Messages that may be in flight to a peer, the others wait here; 0: as many as its buffers hold.
    std::uint32_t messageCredits = 0;

    /// May block for some milliseconds (it looks for devices). Safe from any thread.
    TransportAvailability (*availability)();
    /// Throws Error{Network, Device, Resource or Usage} with a remedy. So does connect(), which blocks until
    /// connected, until the deadline, or until `cancel` is set (then it returns no connection); "nobody is
    /// listening" is Error{Network}.
    std::unique_ptr<Listener> (*listen)(const Url& url, const TransportOptions& options);
    Connection (*connect)(const Url& url, const TransportOptions& options, Deadline deadline,
                          const Event& cancel);

    /// Whether an address without a scheme may use this transport.
    bool automatic = false;
    /// Among those, the one that must work, and whose port the others share.
    bool fallback = false;
    struct Choice {
        bool worthTrying = false;
        std::string reason;  ///< "both are on this host", "no RDMA device"
    };
    /// For such an address: whether connecting by this transport is worth trying, and the reason. May have to
    /// resolve the host: blocks as resolve() does, until the deadline or `cancel`, and then says no. Never
    /// null if `automatic`.
    Choice (*choose)(const Url& url, Deadline deadline, const Event& cancel) = nullptr;
};

/// All transports, in the order in which an address without a scheme tries them.
std::span<const Transport> transports();
/// Null for an unknown scheme.
const Transport* findTransport(std::string_view scheme);
/// Whether that is the scheme of a transport for which `capability`, a member of Transport, is true.
template <typename Capability>
bool transportHas(std::string_view scheme, Capability capability) {
    const Transport* const transport = findTransport(scheme);
    return transport != nullptr && std::invoke(capability, *transport);
}
/// Like findTransport(), but throws Error{Usage} naming those that exist.
const Transport& transportFor(const Url& url);
/// The one with Transport::fallback.
const Transport& fallbackTransport();
/// All schemes: "shm, verbs, tcp, ofi".
std::string transportNames();
/// What an address without a scheme means to this transport: if it names its peers, the name is made from the
/// port ("port-7423"). An address with a scheme is returned unchanged.
Url addressFor(const Transport& transport, const Url& url);

}  // namespace verbcast
