#include "core/transport/socket_owner.h"

#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {
namespace {

/// Writes an address as a query of sock_diag needs it: IPv4 in the first word. False for other families.
bool putAddress(const SocketAddress& address, std::uint32_t* words, std::uint16_t& port) {
    port = htons(address.port());
    if (address.family() == AF_INET) {
        words[0] = address.v4().sin_addr.s_addr;
    } else if (address.family() == AF_INET6) {
        std::memcpy(words, &address.v6().sin6_addr, sizeof(in6_addr));
    }
    return address.family() == AF_INET || address.family() == AF_INET6;
}

// State values of /proc/net/tcp (proc_pid_net(5)), from the kernel's tcp_states.h.
constexpr const char* kEstablished = "01";
constexpr const char* kListen = "0A";
const std::string kNone = "none";  // never occurs in a table

/// "0100007F:1CFF": the address's words in this processor's byte order, and the port.
std::string inHexadecimal(std::span<const std::uint32_t> words, std::uint16_t port) {
    std::string text;
    for (const std::uint32_t word : words) {
        text += fmt::format("{:08X}", word);
    }
    return text + fmt::format(":{:04X}", port);
}

/// As the IPv4 or the IPv6 table writes it. In the latter an IPv4 address is mapped; other families appear in
/// neither.
std::string listedAs(const SocketAddress& address, bool six) {
    std::uint32_t words[4] = {0, 0, htonl(0xffff), 0};
    if (address.family() == AF_INET) {
        words[3] = address.v4().sin_addr.s_addr;
    } else if (address.family() == AF_INET6 && (six || IN6_IS_ADDR_V4MAPPED(&address.v6().sin6_addr))) {
        std::memcpy(words, &address.v6().sin6_addr, sizeof words);
    } else {
        return kNone;
    }
    return inHexadecimal(six ? std::span(words) : std::span(words).last(1), address.port());
}

struct Line {
    std::string local, remote, state;
    ListedSocket socket;
};

std::optional<Line> parsed(const std::string& text) {
    // "  0: 0100007F:1CFF 0100007F:A2F0 01 00000000:00000000 00:00000000 00000000  1000  0 4711 ..."
    std::istringstream fields(text);
    Line line;
    std::string number, queues, timer, retransmits;
    std::uint64_t timeout = 0;
    fields >> number >> line.local >> line.remote >> line.state >> queues >> timer >> retransmits >>
        line.socket.user >> timeout >> line.socket.inode;
    line.socket.established = line.state == kEstablished;
    return fields ? std::optional(line) : std::nullopt;
}

/// With one way of looking up sockets.
std::optional<uid_t> ownerBy(decltype(socketByDiag) find, const ListedSocket& socket,
                             const SocketAddress& local) {
    if (socket.inode != 0) {
        return socket.user;
    }
    if (!socket.established) {
        return std::nullopt;  // closed: the kernel lists it as root's
    }
    // Connected and not accepted yet: the listener will own it.
    const std::optional<ListedSocket> listener = find(local, nullptr);
    return listener ? std::optional(listener->user) : std::nullopt;
}

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

}  // namespace

std::optional<ListedSocket> socketByDiag(const SocketAddress& local, const SocketAddress* remote) {
    struct {
        nlmsghdr header;
        inet_diag_req_v2 request;
    } query{};
    struct {
        nlmsghdr header;
        inet_diag_msg socket;
    } answer{};
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
    if (got < static_cast<ssize_t>(sizeof answer)) {
        return std::nullopt;
    }
    std::memcpy(&answer, bytes.data(), sizeof answer);
    const inet_diag_msg& socket = answer.socket;
    // If there is no such connected socket, the kernel returns the listener.
    if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        (socket.idiag_state == TCP_LISTEN) != (remote == nullptr)) {
        return std::nullopt;
    }
    return ListedSocket{socket.idiag_uid, socket.idiag_inode, socket.idiag_state == TCP_ESTABLISHED};
}

std::optional<ListedSocket> socketInTables(const SocketAddress& local, const SocketAddress* remote) {
    constexpr std::array<std::uint32_t, 4> kAnyHost{};
    for (const bool six : {false, true}) {
        const std::string here = listedAs(local, six);
        const std::string there = remote != nullptr ? listedAs(*remote, six) : kNone;
        const std::string any =
            here == kNone ? kNone : inHexadecimal(std::span(kAnyHost).last(six ? 4 : 1), local.port());
        std::ifstream table(six ? "/proc/net/tcp6" : "/proc/net/tcp");
        for (std::string text; std::getline(table, text);) {
            const auto line = parsed(text);
            if (line &&
                (remote != nullptr ? line->local == here && line->remote == there
                                   : line->state == kListen && (line->local == here || line->local == any))) {
                return line->socket;
            }
        }
    }
    return std::nullopt;
}

std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote) {
    if (const auto found = socketByDiag(local, &remote)) {
        return ownerBy(socketByDiag, *found, local);
    }
    // A kernel that finds the opposite end, which is ours, would also find this one. Otherwise it has no
    // sock_diag for TCP, or forbids it.
    if (socketByDiag(remote, &local)) {
        return std::nullopt;
    }
    const auto found = socketInTables(local, &remote);
    return found ? ownerBy(socketInTables, *found, local) : std::nullopt;
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
