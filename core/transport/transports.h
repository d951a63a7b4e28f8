// What each transport gives to the registry: the functions of Transport (registry.h).
#pragma once

#include <memory>

#include "core/transport/registry.h"

namespace verbcast {

/// Memory that processes of one user on one machine map.
namespace shm {
std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options);
Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel);
Transport::Choice choose(const Url& url, Deadline deadline, const Event& cancel);
}  // namespace shm

/// Two TCP connections to a peer.
namespace tcp {
std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options);
Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel);
}  // namespace tcp

/// ibverbs and rdma_cm: verbs://host:port?device=NAME&port=N&gid=INDEX. If compiled without rdma-core,
/// availability() says so, and the others throw Error{Device}.
namespace verbs {
/// "2 RDMA devices: mlx5_0, mlx5_1", or why none can be used.
TransportAvailability availability();
std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options);
Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel);
}  // namespace verbs

/// libfabric: ofi://host:port?provider=NAME&domain=NAME&immediate=on|off. For fabrics without verbs; an
/// address without a scheme never means it. If compiled without libfabric, as for verbs.
namespace ofi {
TransportAvailability availability();
std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options);
Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel);
}  // namespace ofi

}  // namespace verbcast
