// From a port's calls and callers to connections.
#pragma once

#include <functional>
#include <memory>

#include "core/base/deadline.h"
#include "core/base/event.h"
#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_connection.h"
#include "core/transport/socket_address.h"
#include "core/transport/transport.h"

namespace verbcast {

/// Connects over a queue that was opened towards the peer. No connection when `cancel` was set. Throws
/// Error{Network} at the deadline, and as RdmaConnection::handshake().
Connection connectRdma(std::unique_ptr<QueuePort> port, const RdmaConnectionOptions& options,
                       Deadline deadline, const Event& cancel);

/// The connection to the first of a host's addresses that can be connected to; no connection when `cancel`
/// was set. Throws what the first one failed with, since that is the best one, or Error{Network} when there
/// are none; Error{Usage, Resource, ...}, which another address would not mend, at once.
Connection connectToFirst(const Url& url, const std::vector<SocketAddress>& addresses, const Event& cancel,
                          const std::function<Connection(const SocketAddress&)>& connect);

/// A listener over a port's: each caller gets a queue of its own, and is given out once its Hello has come.
/// None waits for another.
std::unique_ptr<Listener> listenRdma(std::unique_ptr<PortListener> port,
                                     const RdmaConnectionOptions& options);

}  // namespace verbcast
