// Whose a TCP connection from this machine is.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/transport/socket_address.h"

namespace verbcast {

/// The user whose process holds the connected TCP socket with these two ends, as /proc/net/tcp and tcp6 of
/// our network namespace tell (proc(5), proc_pid_net(5)). Nothing when no process of it has such a socket: it
/// is on another host, or closed. Reads a table of all sockets: 0.1 ms where there are few, 10 ms at tens of
/// thousands.
std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote);

/// Whether that is the user whom this process acts as. False where the kernel cannot tell users apart.
bool isOfThisUser(const SocketAddress& local, const SocketAddress& remote);

}  // namespace verbcast
