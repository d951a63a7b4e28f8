#include "core/transport/socket_owner.h"

#include <unistd.h>

#include <fstream>

#include "core/transport/listed_socket.h"

namespace verbcast {
namespace {

/// In a user namespace (user_namespaces(7)) that maps only some users, the kernel shows all others as one.
bool seesOnlySomeUsers() {
    std::ifstream map("/proc/self/uid_map");
    std::uint64_t inside = 0, outside = 0, count = 0;
    map >> inside >> outside >> count;
    return !map || count != 0xffff'ffff;
}

std::optional<uid_t> overflowUser() {
    std::ifstream file("/proc/sys/kernel/overflowuid");
    uid_t user = 0;
    return file >> user ? std::optional(user) : std::nullopt;
}

template <typename FindListener>
std::optional<uid_t> ownerOf(const ListedSocket& socket, FindListener&& findListener) {
    if (socket.inode != 0) {
        return socket.user;
    }
    if (!socket.established) {
        return std::nullopt;  // closed: the kernel lists it as root's
    }
    // Connected and not accepted yet: the listener will own it.
    const std::optional<ListedSocket> listener = findListener();
    return listener ? std::optional(listener->user) : std::nullopt;
}

}  // namespace

std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote) {
    if (const auto found = connectedSocketByDiag(local, remote)) {
        return ownerOf(*found, [&] { return listenerByDiag(local); });
    }
    // A kernel that finds the opposite end, which is ours, would also find this one. Otherwise it has no
    // sock_diag for TCP, or forbids it.
    if (connectedSocketByDiag(remote, local)) {
        return std::nullopt;
    }
    const auto found = connectedSocketInTables(local, remote);
    return found ? ownerOf(*found, [&] { return listenerInTables(local); }) : std::nullopt;
}

std::optional<ucred> processAt(int socket) {
    ucred process{};
    socklen_t bytes = sizeof process;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &process, &bytes) == 0 ? std::optional(process)
                                                                                : std::nullopt;
}

bool isThisUser(uid_t user) {
    return user == ::geteuid() && !(user == overflowUser() && seesOnlySomeUsers());
}

bool isOfThisUser(const SocketAddress& local, const SocketAddress& remote) {
    const auto owner = ownerOfSocket(local, remote);
    return owner && isThisUser(*owner);
}

}  // namespace verbcast
