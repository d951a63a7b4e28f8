#include "core/transport/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/base/error.h"

namespace verbcast {
namespace {

/// The name of the interface that has the address; "" if none has it.
std::string interfaceOf(const SocketAddress& address) {
    const std::string host = address.host();
    const Interfaces all = hostInterfaces();
    for (const ifaddrs* each = all.get(); each != nullptr && !host.empty(); each = each->ifa_next) {
        if (SocketAddress::of(each->ifa_addr).host() == host) {
            return each->ifa_name;
        }
    }
    return "";
}

bool isReachable(const ifaddrs& each) {
    if ((each.ifa_flags & IFF_UP) == 0 || (each.ifa_flags & IFF_LOOPBACK) != 0) {
        return false;
    }
    const SocketAddress address = SocketAddress::of(each.ifa_addr);
    if (address.family() == AF_INET6) {
        return !IN6_IS_ADDR_LINKLOCAL(&address.v6().sin6_addr);
    }
    constexpr std::uint32_t kLinkLocal = 0xa9fe;  // 169.254.0.0/16 (RFC 3927)
    return address.family() == AF_INET && ntohl(address.v4().sin_addr.s_addr) >> 16 != kLinkLocal;
}

SocketAddress endOf(int socket, decltype(&::getsockname) which) {
    SocketAddress address;
    address.length = sizeof address.storage;
    if (which(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
        address.length = 0;
    }
    return address;
}

}  // namespace

SocketAddress SocketAddress::of(const sockaddr* raw) {
    SocketAddress address;
    if (raw != nullptr && (raw->sa_family == AF_INET || raw->sa_family == AF_INET6)) {
        address.length = raw->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        std::memcpy(&address.storage, raw, address.length);
    }
    return address;
}

std::uint16_t SocketAddress::port() const {
    if (family() == AF_INET) {
        return ntohs(v4().sin_port);
    }
    return family() == AF_INET6 ? ntohs(v6().sin6_port) : 0;
}

void SocketAddress::setPort(std::uint16_t port) {
    if (family() == AF_INET) {
        reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
    } else {
        reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
    }
}

std::string SocketAddress::host() const {
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    if (family() == AF_INET) {
        inet_ntop(AF_INET, &v4().sin_addr, buffer.data(), buffer.size());
    } else if (family() == AF_INET6) {
        const in6_addr& address = v6().sin6_addr;
        const bool mapped = IN6_IS_ADDR_V4MAPPED(&address);
        inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? &address.s6_addr[12] : &address.s6_addr[0],
                  buffer.data(), buffer.size());
    }
    return buffer.data();
}

std::string SocketAddress::text() const {
    const std::string name = host();
    if (name.empty()) {
        return "unknown address";
    }
    return name.find(':') == std::string::npos ? fmt::format("{}:{}", name, port())
                                               : fmt::format("[{}]:{}", name, port());
}

sockaddr_in ipv4Address(in_addr host, std::uint16_t port) {
    return {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = host, .sin_zero = {}};
}

SocketAddress abstractAddress(std::string_view name) {
    SocketAddress address;
    auto& path = reinterpret_cast<sockaddr_un&>(address.storage).sun_path;
    address.storage.ss_family = AF_UNIX;
    name.copy(path + 1, sizeof path - 1);  // the first byte stays zero
    address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return address;
}

UniqueFd openSocket(int family, int type, const std::string& what) {
    UniqueFd made(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made) {
        throwErrno(ErrorKind::Resource, "socket", what, errno, kRaiseFileLimit);
    }
    return made;
}

std::string hostOfAddress(const std::string& text) {
    if (!text.starts_with('[') && text.find(':') != text.rfind(':')) {
        return text;  // IPv6 without a port
    }
    const std::string host = text.substr(0, text.rfind(':'));
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

bool isLocalAddress(const SocketAddress& address) {
    return address.host().starts_with("127.") || !interfaceOf(address).empty();
}

bool isLocalAddressText(const std::string& text) {
    return text.find(':') != std::string::npos && isLocalHost(hostOfAddress(text));
}

bool isLocalHost(const std::string& host) {
    if (host == "localhost" || host.ends_with(".localhost")) {  // RFC 6761, 6.3
        return true;
    }
    const auto address = numericAddress(host);
    return address && isLocalAddress(*address);
}

SocketAddress localAddressOf(int socket) {
    return endOf(socket, &::getsockname);
}

SocketAddress peerAddressOf(int socket) {
    return endOf(socket, &::getpeername);
}

Interfaces hostInterfaces() {
    ifaddrs* first = nullptr;
    return {::getifaddrs(&first) == 0 ? first : nullptr, &::freeifaddrs};
}

std::vector<std::string> hostAddresses() {
    std::vector<std::string> addresses;
    const Interfaces all = hostInterfaces();
    for (const ifaddrs* each = all.get(); each != nullptr; each = each->ifa_next) {
        if (isReachable(*each)) {
            addresses.push_back(SocketAddress::of(each->ifa_addr).host());
        }
    }
    return addresses;
}

std::string interfaceWith(const std::string& address) {
    auto host = numericAddress(hostOfAddress(address));
    if (host && host->host().starts_with("127.")) {
        host = numericAddress("127.0.0.1");  // the interface owns all of 127.0.0.0/8
    }
    return host ? interfaceOf(*host) : "";
}

std::string interfaceTowards(const std::string& address) {
    auto to = numericAddress(address);
    if (!to) {
        return "";
    }
    to->setPort(9);  // the discard port: nothing is sent to it
    const UniqueFd socket(::socket(to->family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return socket && ::connect(socket.get(), to->get(), to->length) == 0
               ? interfaceOf(localAddressOf(socket.get()))
               : "";
}

}  // namespace verbcast
