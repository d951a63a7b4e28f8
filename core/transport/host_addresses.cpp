#include "core/transport/host_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>

#include "core/base/os/unique_fd.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

using Interfaces = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>;

Interfaces interfaces() {
    ifaddrs* first = nullptr;
    return {::getifaddrs(&first) == 0 ? first : nullptr, &::freeifaddrs};
}

/// "" for an address that is not IPv4 or IPv6.
std::string textOf(const sockaddr* address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address != nullptr && address->sa_family == AF_INET) {
        ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text.data(),
                    text.size());
    } else if (address != nullptr && address->sa_family == AF_INET6) {
        ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text.data(),
                    text.size());
    }
    return text.data();
}

bool isForOthers(const ifaddrs& each) {
    if ((each.ifa_flags & IFF_UP) == 0 || (each.ifa_flags & IFF_LOOPBACK) != 0 || each.ifa_addr == nullptr) {
        return false;
    }
    if (each.ifa_addr->sa_family == AF_INET6) {
        return !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(each.ifa_addr)->sin6_addr);
    }
    if (each.ifa_addr->sa_family != AF_INET) {
        return false;
    }
    constexpr std::uint32_t kLinkLocal = 0xa9fe;  // 169.254.0.0/16 (RFC 3927)
    const std::uint32_t address = ntohl(reinterpret_cast<const sockaddr_in*>(each.ifa_addr)->sin_addr.s_addr);
    return address >> 16 != kLinkLocal;
}

}  // namespace

std::vector<std::string> hostAddresses() {
    std::vector<std::string> addresses;
    const Interfaces all = interfaces();
    for (const ifaddrs* each = all.get(); each != nullptr; each = each->ifa_next) {
        if (isForOthers(*each)) {
            addresses.push_back(textOf(each->ifa_addr));
        }
    }
    return addresses;
}

std::string interfaceWith(const std::string& address) {
    std::string host = hostOfAddress(address);
    in_addr ours{};
    if (::inet_pton(AF_INET, host.c_str(), &ours) == 1 && (ntohl(ours.s_addr) >> 24) == 127) {
        host = "127.0.0.1";  // the interface owns all of 127.0.0.0/8
    }
    const Interfaces all = interfaces();
    for (const ifaddrs* each = all.get(); each != nullptr && !host.empty(); each = each->ifa_next) {
        if (textOf(each->ifa_addr) == host) {
            return each->ifa_name;
        }
    }
    return "";
}

std::string interfaceTowards(const std::string& address) {
    constexpr std::uint16_t kAnyPort = 9;  // the discard port: nothing is sent to it
    sockaddr_in to4{.sin_family = AF_INET, .sin_port = htons(kAnyPort), .sin_addr = {}, .sin_zero = {}};
    sockaddr_in6 to6{};
    to6.sin6_family = AF_INET6;
    to6.sin6_port = htons(kAnyPort);
    const sockaddr* to = nullptr;
    socklen_t length = 0;
    if (::inet_pton(AF_INET, address.c_str(), &to4.sin_addr) == 1) {
        to = reinterpret_cast<const sockaddr*>(&to4);
        length = sizeof to4;
    } else if (::inet_pton(AF_INET6, address.c_str(), &to6.sin6_addr) == 1) {
        to = reinterpret_cast<const sockaddr*>(&to6);
        length = sizeof to6;
    } else {
        return "";
    }
    const UniqueFd socket(::socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return socket && ::connect(socket.get(), to, length) == 0
               ? interfaceWith(localAddressOf(socket.get()).text())
               : "";
}

}  // namespace verbcast
