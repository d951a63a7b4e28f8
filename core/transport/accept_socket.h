// Accepting callers from a listening socket.
#pragma once

#include <string>

#include "core/base/os/unique_fd.h"
#include "core/transport/socket_address.h"

namespace verbcast {

/// The next caller, as a non-blocking socket; empty when nobody is waiting. `from` (may be null) gets its
/// address. Callers lost before they could be accepted are logged, with `listener` as the place. Throws
/// Error{Resource} when this process or machine is short of descriptors or memory: the caller keeps waiting,
/// and the listening socket stays readable.
UniqueFd acceptSocket(int listening, const std::string& listener, SocketAddress* from = nullptr);

}  // namespace verbcast
