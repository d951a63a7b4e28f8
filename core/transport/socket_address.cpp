#include "core/transport/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <memory>

namespace verbcast {
namespace {

const sockaddr_in& v4(const sockaddr_storage& s) {
    return reinterpret_cast<const sockaddr_in&>(s);
}
const sockaddr_in6& v6(const sockaddr_storage& s) {
    return reinterpret_cast<const sockaddr_in6&>(s);
}

bool sameHost(const sockaddr* a, const SocketAddress& b) {
    if (a == nullptr || a->sa_family != b.family()) {
        return false;
    }
    if (a->sa_family == AF_INET) {
        return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr == v4(b.storage).sin_addr.s_addr;
    }
    if (a->sa_family == AF_INET6) {
        return std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr, &v6(b.storage).sin6_addr,
                           sizeof(in6_addr)) == 0;
    }
    return false;
}

}  // namespace

std::uint16_t SocketAddress::port() const {
    if (family() == AF_INET) {
        return ntohs(v4(storage).sin_port);
    }
    return family() == AF_INET6 ? ntohs(v6(storage).sin6_port) : 0;
}

std::string SocketAddress::host() const {
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    if (family() == AF_INET) {
        inet_ntop(AF_INET, &v4(storage).sin_addr, buffer.data(), buffer.size());
    } else if (family() == AF_INET6) {
        const in6_addr& address = v6(storage).sin6_addr;
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

bool isLocalAddress(const SocketAddress& address) {
    if (address.family() == AF_INET && (ntohl(v4(address.storage).sin_addr.s_addr) >> 24) == 127) {
        return true;
    }
    ifaddrs* raw = nullptr;
    if (getifaddrs(&raw) != 0) {
        return false;
    }
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> list(raw, &freeifaddrs);
    for (const ifaddrs* item = list.get(); item != nullptr; item = item->ifa_next) {
        if (sameHost(item->ifa_addr, address)) {
            return true;
        }
    }
    return false;
}

SocketAddress localAddressOf(int socket) {
    SocketAddress address;
    address.length = sizeof address.storage;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
        address.length = 0;
    }
    return address;
}

SocketAddress peerAddressOf(int socket) {
    SocketAddress address;
    address.length = sizeof address.storage;
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
        address.length = 0;
    }
    return address;
}

}  // namespace verbcast
