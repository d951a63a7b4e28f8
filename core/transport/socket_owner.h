// Who owns a connection from this machine.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>

#include "core/transport/socket_address.h"

namespace verbcast {

/// The user whose process holds the connected TCP socket with these two ends, as the kernel lists it in our
/// network namespace (listed_socket.h). Nothing if no process there has such a socket: it is on another host,
/// or closed. Takes a few microseconds; if the kernel refuses the query, it reads a table of all sockets.
std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote);

/// The process at the other end of a Unix socket, as it was when that connected or listened; nothing if the
/// kernel does not say.
std::optional<ucred> processAt(int socket);

/// Whether this process runs as that user. False if the kernel cannot tell users apart.
bool isThisUser(uid_t user);
/// The same for the owner of that socket.
bool isOfThisUser(const SocketAddress& local, const SocketAddress& remote);

}  // namespace verbcast
