// The transport over ibverbs and rdma_cm: verbs://host:port?device=NAME&port=N&gid=INDEX.
#pragma once

#include "core/transport/rdma/receive_ring.h"
#include "core/transport/registry.h"

namespace verbcast {

/// If compiled without rdma-core, availability() says so, and listen() and connect() throw Error{Device}.
namespace verbs {
/// "2 RDMA devices: mlx5_0, mlx5_1", or why none can be used.
TransportAvailability availability();
std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options);
Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel);
Transport::Choice choose(const Url& url, Deadline deadline, const Event& cancel);
}  // namespace verbs

inline Transport verbsTransport() {
    return {.scheme = "verbs",
            .label = "RDMA",
            .namesPeers = false,
            .reachesDevices = true,
            .rdmaOption = "device",
            .needsRdma = true,
            .messageCredits = kMessageCredits,
            .availability = &verbs::availability,
            .listen = &verbs::listen,
            .connect = &verbs::connect,
            .automatic = true,
            .choose = &verbs::choose};
}

}  // namespace verbcast
