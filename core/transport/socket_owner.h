// Who owns a connection from this machine.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/transport/socket_address.h"

namespace verbcast {

/// The user whose process holds the connected TCP socket with these two ends, as the kernel lists it in our
/// network namespace. Nothing if no process there has such a socket: it is on another host, or closed. Takes
/// a few microseconds; if the kernel refuses the query, it reads a table of all sockets.
std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote);

/// A TCP socket of our network namespace, as the kernel lists it.
struct ListedSocket {
    uid_t user = 0;
    std::uint64_t inode = 0;  ///< 0: no process owns it: closed, or connected and not accepted yet
    bool established = false;
};
/// The connected socket with these two ends; without `remote`, the listener that would take a call to
/// `local`. By an exact query (sock_diag(7)): a few microseconds. Also nothing if the kernel does not answer.
std::optional<ListedSocket> socketByDiag(const SocketAddress& local, const SocketAddress* remote);
/// The same by reading all of /proc/net/tcp and tcp6: 0.1 ms with few sockets, 10 ms with tens of thousands.
std::optional<ListedSocket> socketInTables(const SocketAddress& local, const SocketAddress* remote);

/// The process at the other end of a Unix socket, as it was when that connected or listened; nothing if the
/// kernel does not say.
std::optional<ucred> processAt(int socket);

/// Whether this process runs as that user. False if the kernel cannot tell users apart.
bool isThisUser(uid_t user);
/// The same for the owner of that socket.
bool isOfThisUser(const SocketAddress& local, const SocketAddress& remote);

}  // namespace verbcast
