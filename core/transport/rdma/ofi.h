// The transport over libfabric: ofi://host:port?provider=NAME&domain=NAME&immediate=on|off. For fabrics
// without verbs; an address without a scheme never means it.
#pragma once

#include "core/transport/rdma/receive_ring.h"
#include "core/transport/registry.h"

namespace verbcast {

/// If compiled without libfabric, availability() says so, and the others throw Error{Device}.
namespace ofi {
TransportAvailability availability();
std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options);
Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel);
}  // namespace ofi

inline Transport ofiTransport() {
    return {.scheme = "ofi",
            .label = "libfabric",
            .namesPeers = false,
            .rdmaOption = "domain",
            .messageCredits = kMessageCredits,
            .availability = &ofi::availability,
            .listen = &ofi::listen,
            .connect = &ofi::connect,
            .automatic = false,
            .fallback = false,
            .choose = nullptr};
}

}  // namespace verbcast
