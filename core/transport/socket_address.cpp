#include "core/transport/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <memory>

#include "core/base/error.h"

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

std::string SocketAddress::text() const {
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    if (family() == AF_INET) {
        inet_ntop(AF_INET, &v4(storage).sin_addr, buffer.data(), buffer.size());
        return fmt::format("{}:{}", buffer.data(), port());
    }
    if (family() == AF_INET6) {
        const in6_addr& address = v6(storage).sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(&address)) {
            inet_ntop(AF_INET, &address.s6_addr[12], buffer.data(), buffer.size());
            return fmt::format("{}:{}", buffer.data(), port());
        }
        inet_ntop(AF_INET6, &address, buffer.data(), buffer.size());
        return fmt::format("[{}]:{}", buffer.data(), port());
    }
    return "unknown address";
}

std::vector<SocketAddress> resolve(const Url& url, bool passive) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0);
    const std::string service = std::to_string(url.port);
    const char* host = url.host.empty() ? (passive ? nullptr : "localhost") : url.host.c_str();
    addrinfo* raw = nullptr;
    const int code = getaddrinfo(host, service.c_str(), &hints, &raw);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(raw, &freeaddrinfo);
    if (code != 0) {
        throw Error(ErrorKind::Network,
                    fmt::format("the host \"{}\" cannot be found: {}", url.host, gai_strerror(code)),
                    "check the spelling, or give the address in numbers");
    }
    std::vector<SocketAddress> addresses;
    for (const addrinfo* item = list.get(); item != nullptr; item = item->ai_next) {
        if (item->ai_addrlen > sizeof(sockaddr_storage)) {
            continue;
        }
        SocketAddress address;
        std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
        address.length = item->ai_addrlen;
        addresses.push_back(address);
    }
    return addresses;
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
