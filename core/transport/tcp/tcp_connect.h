// The two ways to get a tcp connection, which tcpTransport() registers. See Transport for what they promise.
#pragma once

#include <memory>

#include "core/transport/tcp/half_open.h"
#include "core/transport/transport.h"

namespace verbcast::tcp {

std::unique_ptr<Listener> listenTcp(const Url& url, const TransportOptions& options);
Connection connectTcp(const Url& url, const TransportOptions& options, Deadline deadline,
                      const Event& cancel);

/// Throws Error{Resource} when there are no descriptors left.
Connection connectionOf(HalfOpenCallers::Pair sockets);

}  // namespace verbcast::tcp
