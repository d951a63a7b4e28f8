#include "core/transport/multicast/group_socket.h"

#include <fmt/format.h>
#include <linux/filter.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/transport/socket_address.h"

namespace verbcast::multicast {
namespace {

// Holds one or two frames while the receiver's thread is not scheduled.
constexpr int kReceiveBuffer = 32 << 20;
constexpr int kSendBuffer = 4 << 20;

template <typename Value>
bool set(int socket, int level, int option, const Value& value) {
    return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

void bindTo(int socket, const sockaddr_in& address, const std::string& what, const std::string& remedy) {
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throwErrno(ErrorKind::Network, "bind", what, errno, remedy);
    }
}

/// Filters out all but beacons, in the kernel.
void hearOnlyBeacons(int socket) {
    constexpr std::uint32_t kKindAt = 8 + offsetof(DatagramHead, kind);  // behind UDP's header
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kKindAt),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(DatagramKind::Beacon), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xffff),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    set(socket, SOL_SOCKET, SO_ATTACH_FILTER, sock_fprog{std::size(program), program});
}

}  // namespace

GroupSender::GroupSender(const GroupAddress& address, const GroupInterface& interface, int ttl)
    : socket_(openSocket(AF_INET, SOCK_DGRAM, address.text())),
      datagramBytes_(std::max<std::size_t>(interface.mtu, kPacketOverhead) - kPacketOverhead),
      bitRate_(interface.bitRate) {
    room_.add(socket_.get(), EPOLLOUT);
    const std::string what = fmt::format("{} on {}", address.text(), interface.name);
    ip_mreqn by{};
    by.imr_ifindex = interface.index;
    by.imr_address = interface.address;
    const int dontFragment = IP_PMTUDISC_DO;
    if (!set(socket_.get(), IPPROTO_IP, IP_MULTICAST_IF, by) ||
        !set(socket_.get(), IPPROTO_IP, IP_MULTICAST_TTL, ttl) ||
        !set(socket_.get(), IPPROTO_IP, IP_MTU_DISCOVER, dontFragment)) {
        throwErrno(ErrorKind::Network, "setsockopt", what, errno,
                   "see which interfaces there are: ip -br addr");
    }
    set(socket_.get(), SOL_SOCKET, SO_SNDBUF, kSendBuffer);
    bindTo(socket_.get(), ipv4Address(interface.address, 0), what, "see: ip -br addr");
    const sockaddr_in to = ipv4Address(address.group, address.port);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
        throwErrno(
            ErrorKind::Network, "connect", what, errno,
            fmt::format("give the interface a route: ip route add 224.0.0.0/4 dev {}", interface.name));
    }
}

sockaddr_in GroupSender::source() const {
    return localAddressOf(socket_.get()).v4();
}

GroupOrigin GroupSender::origin() const {
    return originOf(source());
}

GroupOrigin originOf(const sockaddr_in& address) {
    GroupOrigin origin;
    origin.address[10] = origin.address[11] = std::byte{0xff};
    std::memcpy(&origin.address[12], &address.sin_addr, sizeof address.sin_addr);
    origin.number = ntohs(address.sin_port);
    return origin;
}

void GroupSender::setPace(std::uint64_t bytesPerSecond) {
    set(socket_.get(), SOL_SOCKET, SO_MAX_PACING_RATE, bytesPerSecond);
}

std::string GroupSender::whyLost() const {
    return errnoText(lostBy_);
}

/// For an errno after sending.
GroupSender::Sent GroupSender::outcomeOf(int code) {
    if (code == EAGAIN || code == EINTR) {
        return Sent::Later;
    }
    lostBy_ = code;
    return Sent::Lost;
}

GroupSender::Sent GroupSender::sendOne(std::span<const std::byte> datagram) {
    return ::send(socket_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT) >= 0 ? Sent::Yes
                                                                                      : outcomeOf(errno);
}

GroupSender::Sent GroupSender::send(std::span<const iovec> pieces, std::size_t datagramBytes,
                                    std::size_t bytes) {
    if (!segments_) {
        return sendSingly(pieces, datagramBytes, bytes);
    }
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> control{};
    if (bytes > datagramBytes) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* segment = CMSG_FIRSTHDR(&message);
        segment->cmsg_level = SOL_UDP;
        segment->cmsg_type = UDP_SEGMENT;
        segment->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
        const auto size = static_cast<std::uint16_t>(datagramBytes);
        std::memcpy(CMSG_DATA(segment), &size, sizeof size);
    }
    if (::sendmsg(socket_.get(), &message, MSG_DONTWAIT) >= 0) {
        return Sent::Yes;
    }
    if (bytes > datagramBytes &&
        (errno == EINVAL || errno == EIO || errno == EOPNOTSUPP || errno == EMSGSIZE)) {
        const Sent singly = sendSingly(pieces, datagramBytes, bytes);
        segments_ = singly != Sent::Yes;  // else this kernel or device cannot segment them
        return singly;
    }
    return outcomeOf(errno);
}

/// Sends one message per datagram. Whatever has left when room runs out counts as sent: the rest is lost, and
/// repaired.
GroupSender::Sent GroupSender::sendSingly(std::span<const iovec> pieces, std::size_t datagramBytes,
                                          std::size_t bytes) {
    std::array<mmsghdr, kMaxBurst> messages{};
    std::size_t count = 0;
    std::size_t at = 0;
    for (std::size_t left = bytes; left > 0 && count < messages.size(); ++count) {
        const std::size_t wanted = std::min(left, datagramBytes);
        msghdr& message = messages[count].msg_hdr;
        message.msg_iov = const_cast<iovec*>(&pieces[at]);
        for (std::size_t got = 0; got < wanted; ++at) {
            got += pieces[at].iov_len;
            ++message.msg_iovlen;
        }
        left -= wanted;
    }
    const int sent = ::sendmmsg(socket_.get(), messages.data(), static_cast<unsigned>(count), MSG_DONTWAIT);
    return sent > 0 ? Sent::Yes : outcomeOf(errno);
}

UniqueFd joinGroup(const GroupAddress& address, const GroupInterface& interface,
                   std::optional<in_addr> source) {
    const std::string what = fmt::format("{} on {}", address.text(), interface.name);
    UniqueFd socket = openSocket(AF_INET, SOCK_DGRAM, what);
    const int yes = 1;
    const int no = 0;
    set(socket.get(), SOL_SOCKET, SO_REUSEADDR, yes);  // for several viewers on one host
    set(socket.get(), IPPROTO_IP, IP_MULTICAST_ALL, no);
    if (!set(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, kReceiveBuffer)) {
        set(socket.get(), SOL_SOCKET, SO_RCVBUF, kReceiveBuffer);
    }
    bindTo(socket.get(), ipv4Address(address.group, address.port), what,
           "another program has this port for itself; choose another one");
    bool joined = false;
    if (source) {
        group_source_req request{};
        request.gsr_interface = static_cast<std::uint32_t>(interface.index);
        const sockaddr_in group = ipv4Address(address.group, 0);
        const sockaddr_in from = ipv4Address(*source, 0);
        std::memcpy(&request.gsr_group, &group, sizeof group);
        std::memcpy(&request.gsr_source, &from, sizeof from);
        joined = set(socket.get(), IPPROTO_IP, MCAST_JOIN_SOURCE_GROUP, request);
    } else {
        ip_mreqn request{};
        request.imr_multiaddr = address.group;
        request.imr_ifindex = interface.index;
        joined = set(socket.get(), IPPROTO_IP, IP_ADD_MEMBERSHIP, request);
    }
    if (!joined) {
        throwErrno(errno == ENOBUFS ? ErrorKind::Resource : ErrorKind::Network, "joining the group", what,
                   errno,
                   errno == ENOBUFS ? "leave other groups, or raise net.ipv4.igmp_max_memberships"
                                    : "see: ip -br addr, ip maddr");
    }
    return socket;
}

void takeMerged(int socket) {
    const int yes = 1;
    set(socket, IPPROTO_UDP, UDP_GRO, yes);
}

UniqueFd joinForBeacons(const GroupAddress& address, const GroupInterface& interface) {
    UniqueFd socket = joinGroup(address, interface);
    hearOnlyBeacons(socket.get());
    return socket;
}

std::optional<FoundSender> hearBeacon(int socket, std::uint64_t own, Deadline deadline, const Event* cancel) {
    std::array<std::byte, 2048> bytes;
    for (;;) {
        FoundSender found;
        socklen_t length = sizeof found.from;
        const auto got = ::recvfrom(socket, bytes.data(), bytes.size(), MSG_DONTWAIT,
                                    reinterpret_cast<sockaddr*>(&found.from), &length);
        if (got >= 0) {
            const auto datagram = std::span(bytes).first(static_cast<std::size_t>(got));
            const auto beacon = readBeacon(datagram);
            if (beacon && beacon->stream != own && beacon->port != 0) {
                found.beacon = *beacon;
                found.datagram.assign(datagram.begin(), datagram.end());
                return found;
            }
        }
        if (deadline.passed() || (cancel != nullptr && cancel->isSet())) {
            return std::nullopt;
        }
        if (got < 0) {
            waitReadable({socket, cancel != nullptr ? cancel->descriptor() : -1}, deadline);
        }
    }
}

}  // namespace verbcast::multicast
