// Whose a TCP connection from this machine is.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/transport/socket_address.h"

namespace verbcast {

/// The user whose process holds the connected TCP socket with these two ends, as the kernel lists it in our
/// network namespace (listed_socket.h). Nothing when no process of it has such a socket: it is on another
/// host, or closed. A few microseconds; where the kernel refuses the query, it reads a table of all sockets.
std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote);

/// Whether that is the user whom this process acts as. False where the kernel cannot tell users apart.
bool isOfThisUser(const SocketAddress& local, const SocketAddress& remote);

}  // namespace verbcast
