// Turns a port's outgoing calls and callers into connections.
#pragma once

#include <functional>
#include <memory>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"
#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_connection.h"
#include "core/transport/socket_address.h"
#include "core/transport/transport.h"

namespace verbcast {

/// Connects over a queue opened towards the peer. Returns no connection if `cancel` was set. Throws
/// Error{Network} at the deadline, and as RdmaConnection::handshake() does.
Connection connectRdma(std::unique_ptr<QueuePort> port, const RdmaConnectionOptions& options,
                       Deadline deadline, const Event& cancel);

/// Connects to the first of a host's addresses that works; no connection if `cancel` was set. Throws the
/// error of the first address, which is the best one, or Error{Network} if there are none; Error{Usage,
/// Resource, ...}, which another address would not cure, at once.
Connection connectToFirst(const Url& url, const std::vector<SocketAddress>& addresses, const Event& cancel,
                          const std::function<Connection(const SocketAddress&)>& connect);

/// A listener on top of a port's: each caller gets its own queue, and is returned once its Hello has arrived.
/// Callers do not wait for each other.
std::unique_ptr<Listener> listenRdma(std::unique_ptr<PortListener> port,
                                     const RdmaConnectionOptions& options);

}  // namespace verbcast
