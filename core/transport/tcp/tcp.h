// The transport that works on every network: two TCP connections to a peer.
#pragma once

#include "core/transport/registry.h"
#include "core/transport/tcp/half_open.h"

namespace verbcast {

Transport tcpTransport();

namespace tcp {
/// Throws Error{Resource} when there are no descriptors left.
Connection connectionOf(HalfOpenCallers::Pair sockets);
}  // namespace tcp

}  // namespace verbcast
