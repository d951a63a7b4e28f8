#include "core/transport/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
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

/// Unmaps an IPv4 address that is mapped into IPv6; all others stay as they are.
SocketAddress unmapped(const SocketAddress& address) {
    if (address.family() != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6(address.storage).sin6_addr)) {
        return address;
    }
    SocketAddress plain;
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = v6(address.storage).sin6_port;
    std::memcpy(&out.sin_addr, &v6(address.storage).sin6_addr.s6_addr[12], sizeof out.sin_addr);
    std::memcpy(&plain.storage, &out, sizeof out);
    plain.length = sizeof out;
    return plain;
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

bool isLocalAddress(const SocketAddress& given) {
    const SocketAddress address = unmapped(given);
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

std::string hostOfAddress(const std::string& text) {
    if (!text.starts_with('[') && text.find(':') != text.rfind(':')) {
        return text;  // IPv6 without a port
    }
    const std::string host = text.substr(0, text.rfind(':'));
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

bool isLocalAddressText(const std::string& text) {
    return text.find(':') != std::string::npos && isLocalHost(hostOfAddress(text));
}

bool isLocalHost(const std::string& host) {
    if (host == "localhost" || host.ends_with(".localhost")) {  // RFC 6761, 6.3
        return true;
    }
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* raw = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &raw) != 0) {
        return false;
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(raw, &::freeaddrinfo);
    SocketAddress address;
    address.length = found->ai_addrlen;
    std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
    return isLocalAddress(address);
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
