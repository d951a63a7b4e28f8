// TCP sockets of our network namespace as the kernel lists them, in two ways.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/transport/socket_address.h"

namespace verbcast {

struct ListedSocket {
    uid_t user = 0;
    std::uint64_t inode = 0;  ///< 0: no process has it: closed, or called and not accepted yet
    bool established = false;
};

/// By an exact query (sock_diag(7)): a few microseconds. Nothing too where the kernel does not answer.
std::optional<ListedSocket> connectedSocketByDiag(const SocketAddress& local, const SocketAddress& remote);
/// That would take a call to this address.
std::optional<ListedSocket> listenerByDiag(const SocketAddress& local);

/// By reading all of /proc/net/tcp and tcp6: 0.1 ms where there are few, 10 ms at tens of thousands.
std::optional<ListedSocket> connectedSocketInTables(const SocketAddress& local, const SocketAddress& remote);
std::optional<ListedSocket> listenerInTables(const SocketAddress& local);

}  // namespace verbcast
