// Two ways to look up TCP sockets of our network namespace in the kernel.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/transport/socket_address.h"

namespace verbcast {

struct ListedSocket {
    uid_t user = 0;
    std::uint64_t inode = 0;  ///< 0: no process owns it: closed, or connected and not accepted yet
    bool established = false;
};

/// By an exact query (sock_diag(7)): a few microseconds. Also nothing if the kernel does not answer.
std::optional<ListedSocket> connectedSocketByDiag(const SocketAddress& local, const SocketAddress& remote);
/// The listener that would take a call to this address.
std::optional<ListedSocket> listenerByDiag(const SocketAddress& local);

/// By reading all of /proc/net/tcp and tcp6: 0.1 ms with few sockets, 10 ms with tens of thousands.
std::optional<ListedSocket> connectedSocketInTables(const SocketAddress& local, const SocketAddress& remote);
std::optional<ListedSocket> listenerInTables(const SocketAddress& local);

}  // namespace verbcast
