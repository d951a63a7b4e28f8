// The transport that works on every network: two TCP connections to a peer.
#pragma once

#include "core/transport/registry.h"

namespace verbcast {

Transport tcpTransport();

}  // namespace verbcast
