// The kernel's answer about one TCP socket: NETLINK_SOCK_DIAG (sock_diag(7)). It needs no privileges.
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "core/base/os/unique_fd.h"
#include "core/transport/listed_socket.h"

namespace verbcast {
namespace {

struct DiagQuery {
    nlmsghdr header;
    inet_diag_req_v2 request;
};
struct DiagAnswer {
    nlmsghdr header;
    inet_diag_msg socket;
};

/// Writes an address as a query needs it: IPv4 in the first word. False for other families.
bool putAddress(const SocketAddress& address, std::uint32_t* words, std::uint16_t& port) {
    port = htons(address.port());
    if (address.family() == AF_INET) {
        sockaddr_in four;
        std::memcpy(&four, &address.storage, sizeof four);
        words[0] = four.sin_addr.s_addr;
        return true;
    }
    if (address.family() == AF_INET6) {
        sockaddr_in6 six;
        std::memcpy(&six, &address.storage, sizeof six);
        std::memcpy(words, &six.sin6_addr, sizeof six.sin6_addr);
        return true;
    }
    return false;
}

/// The socket with these ends; without `remote`, the listener at `local`.
std::optional<inet_diag_msg> ask(const SocketAddress& local, const SocketAddress* remote) {
    DiagQuery query{};
    query.header.nlmsg_len = sizeof query;
    query.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    query.header.nlmsg_flags = NLM_F_REQUEST;
    inet_diag_sockid& id = query.request.id;
    query.request.sdiag_family = static_cast<std::uint8_t>(local.family());
    query.request.sdiag_protocol = IPPROTO_TCP;
    query.request.idiag_states = ~0U;
    id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (!putAddress(local, id.idiag_src, id.idiag_sport) ||
        (remote != nullptr &&
         (remote->family() != local.family() || !putAddress(*remote, id.idiag_dst, id.idiag_dport)))) {
        return std::nullopt;
    }
    const UniqueFd kernel(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!kernel || ::send(kernel.get(), &query, sizeof query, 0) != static_cast<ssize_t>(sizeof query)) {
        return std::nullopt;
    }
    // The answer is available when send() returns.
    std::array<std::byte, 1024> bytes{};
    const ssize_t got = ::recv(kernel.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    DiagAnswer answer{};
    if (got < static_cast<ssize_t>(sizeof answer)) {
        return std::nullopt;
    }
    std::memcpy(&answer, bytes.data(), sizeof answer);
    return answer.header.nlmsg_type == SOCK_DIAG_BY_FAMILY ? std::optional(answer.socket) : std::nullopt;
}

ListedSocket listed(const inet_diag_msg& socket) {
    return {socket.idiag_uid, socket.idiag_inode, socket.idiag_state == TCP_ESTABLISHED};
}

}  // namespace

std::optional<ListedSocket> connectedSocketByDiag(const SocketAddress& local, const SocketAddress& remote) {
    const auto found = ask(local, &remote);
    // If there is no such socket, the kernel returns the listener.
    return found && found->idiag_state != TCP_LISTEN ? std::optional(listed(*found)) : std::nullopt;
}

std::optional<ListedSocket> listenerByDiag(const SocketAddress& local) {
    const auto found = ask(local, nullptr);
    return found && found->idiag_state == TCP_LISTEN ? std::optional(listed(*found)) : std::nullopt;
}

}  // namespace verbcast
