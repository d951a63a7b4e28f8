// Taking callers from a listening socket.
#pragma once

#include <string>

#include "core/base/unique_fd.h"
#include "core/transport/socket_address.h"

namespace verbcast {

/// The next caller, non-blocking; empty when nobody waits. `from` (may be null) gets its address. Callers
/// that were lost before they could be taken are logged, `listener` says where. Throws Error{Resource} when
/// this process or machine is short of descriptors or memory: the caller still waits, and listening stays
/// readable.
UniqueFd acceptSocket(int listening, const std::string& listener, SocketAddress* from = nullptr);

}  // namespace verbcast
