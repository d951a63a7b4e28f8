#include "core/transport/multicast/group_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/socket_address.h"

namespace verbcast::multicast {
namespace {

constexpr const char* kGroupRemedy =
    "groups are 224.0.1.0 to 239.255.255.255, and 239.x.y.z stays within the site: for example "
    "239.10.0.7:7423, with an interface 239.10.0.7:7423%eth1";

UniqueFd openQuery() {
    return openSocket(AF_INET, SOCK_DGRAM, "an interface");
}

ifreq requestFor(const std::string& interface) {
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    return request;
}

/// In bits per second.
std::uint64_t bitRateOf(int query, const std::string& interface) {
    ethtool_cmd command{};
    command.cmd = ETHTOOL_GSET;
    ifreq request = requestFor(interface);
    request.ifr_data = reinterpret_cast<char*>(&command);
    if (::ioctl(query, SIOCETHTOOL, &request) != 0) {
        return 0;
    }
    const std::uint32_t megabits = ethtool_cmd_speed(&command);
    return megabits == 0 || megabits == static_cast<std::uint32_t>(SPEED_UNKNOWN) ? 0
                                                                                  : megabits * 1'000'000ULL;
}

/// Our own source address towards the group.
in_addr sourceFor(const GroupAddress& address) {
    const UniqueFd query = openQuery();
    const sockaddr_in to = ipv4Address(address.group, address.port);
    if (::connect(query.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
        throw Error(ErrorKind::Network,
                    fmt::format("no interface has a route to {}: {}", address.text(), errnoText(errno)),
                    fmt::format("name the interface: {}%eth1 (see: ip -br addr)", address.text()));
    }
    return localAddressOf(query.get()).v4().sin_addr;
}

constexpr std::array<std::string_view, 3> kVias{"auto", "udp", "rdma"};  // by Via

Via viaFrom(const std::string& text) {
    const auto* const found = std::ranges::find(kVias, text);
    if (found != kVias.end()) {
        return static_cast<Via>(found - kVias.begin());
    }
    throw Error(ErrorKind::Usage, fmt::format("via={}: auto, udp or rdma expected", text),
                "for example multicast://239.10.0.7:7423%eth1?via=udp");
}

int ttlFrom(const std::string& text) {
    int ttl = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), ttl);
    if (code != std::errc() || end != text.data() + text.size() || ttl < 1 || ttl > 255) {
        throw Error(ErrorKind::Usage, fmt::format("ttl={}: 1 to 255 expected", text),
                    "routers that frames may pass, plus one: ttl=1 stays in this network");
    }
    return ttl;
}

/// "800M", "8G", "2.5G"
std::uint64_t rateFrom(const std::string& text) {
    constexpr double kMinRate = 1e6, kMaxRate = 1e12;
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, code] = std::from_chars(text.data(), last, value);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    const double factor = unit == "G" ? 1e9 : unit == "M" ? 1e6 : unit.empty() ? 1 : 0;
    if (code != std::errc() || !(value * factor >= kMinRate && value * factor <= kMaxRate)) {
        throw Error(ErrorKind::Usage, fmt::format("rate={}: 1M to 1000G bits per second expected", text),
                    "for example multicast://239.10.0.7?rate=2.5G");
    }
    return static_cast<std::uint64_t>(value * factor);
}

GroupAddress groupFrom(const Url& url, bool sends) {
    GroupAddress address;
    address.port = url.port;
    if (const auto named = url.options.find("interface"); named != url.options.end()) {
        address.interface = named->second;
    }
    for (const auto& [option, value] : url.options) {
        if (option == "via") {
            address.via = viaFrom(value);
        } else if (!sends && (option == "ttl" || option == "rate")) {
            throw Error(ErrorKind::Usage,
                        fmt::format("multicast://{}: {}={} is not for viewers", url.host, option, value),
                        fmt::format("leave it out here, and give it to the sender: --multicast {}?{}={}",
                                    url.host, option, value));
        } else if (option == "ttl") {
            address.ttl = ttlFrom(value);
        } else if (option == "rate") {
            address.bitRate = rateFrom(value);
        } else if (option != "interface") {
            throw Error(ErrorKind::Usage,
                        fmt::format("multicast://{}: there is no option \"{}\"", url.host, option),
                        sends ? "the options are interface=eth1, via=auto|udp|rdma, ttl=1 and rate=2.5G"
                              : "the options are interface=eth1 and via=auto|udp|rdma");
        }
    }
    if (::inet_pton(AF_INET, url.host.c_str(), &address.group) != 1) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("\"{}\" is not a multicast group: an IPv4 group in numbers expected", url.host),
            kGroupRemedy);
    }
    const std::uint32_t number = ntohl(address.group.s_addr);
    if (!IN_MULTICAST(number)) {
        throw Error(ErrorKind::Usage, fmt::format("{} is not a multicast group", url.host), kGroupRemedy);
    }
    if (number >> 8 == 0xe00000) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} belongs to the network's own protocols (224.0.0.0/24)", url.host),
                    kGroupRemedy);
    }
    if (address.port == 0) {
        throw Error(ErrorKind::Usage, fmt::format("{}:0: a group needs a port", url.host), kGroupRemedy);
    }
    if (address.interface.size() >= IFNAMSIZ) {
        throw Error(ErrorKind::Usage,
                    fmt::format("\"{}\" is not an interface: names have at most {} letters",
                                address.interface, IFNAMSIZ - 1),
                    "see: ip -br addr");
    }
    return address;
}

}  // namespace

std::string GroupAddress::wholeText() const {
    return fmt::format("{}?via={}&ttl={}{}{}", text(), kVias.at(static_cast<std::size_t>(via)), ttl,
                       bitRate > 0 ? fmt::format("&rate={}", bitRate) : "",
                       interface.empty() ? "" : "&interface=" + interface);
}

std::string GroupAddress::text() const {
    return fmt::format("{}:{}", hostText(group), port);
}

std::string hostText(in_addr address) {
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    return text.data();
}

GroupAddress groupOf(const Url& url) {
    return groupFrom(url, false);
}

GroupAddress parseGroup(std::string_view text) {
    const bool whole = text.starts_with(fmt::format("{}://", kMulticastScheme));
    return groupFrom(parseUrl(whole ? std::string(text) : fmt::format("{}://{}", kMulticastScheme, text)),
                     true);
}

GroupInterface interfaceOf(const GroupAddress& address) {
    const bool named = !address.interface.empty();
    const in_addr source = named ? in_addr{} : sourceFor(address);
    GroupInterface found;
    unsigned flags = 0;
    bool exists = false;
    const Interfaces list = hostInterfaces();
    if (!list) {
        throwErrno(ErrorKind::Resource, "getifaddrs", "this host's interfaces", errno);
    }
    for (const ifaddrs* each = list.get(); each != nullptr; each = each->ifa_next) {
        const bool here = named && address.interface == each->ifa_name;
        exists |= here;
        const SocketAddress own = SocketAddress::of(each->ifa_addr);
        if (own.family() != AF_INET || !found.name.empty()) {
            continue;
        }
        if (here || (!named && own.v4().sin_addr.s_addr == source.s_addr)) {
            found.name = each->ifa_name;
            found.address = own.v4().sin_addr;
            flags = each->ifa_flags;
        }
    }
    if (found.name.empty()) {
        throw Error(ErrorKind::Network,
                    named && exists ? fmt::format("the interface {} has no IPv4 address", address.interface)
                                    : fmt::format("there is no interface {}",
                                                  named ? address.interface : "for " + hostText(source)),
                    named && exists
                        ? fmt::format("give it one: ip addr add 192.168.1.2/24 dev {}", address.interface)
                        : "see which there are: ip -br addr");
    }
    if ((flags & IFF_UP) == 0) {
        throw Error(ErrorKind::Network, fmt::format("the interface {} is down", found.name),
                    fmt::format("bring it up: ip link set {} up", found.name));
    }
    if ((flags & IFF_MULTICAST) == 0 && (flags & IFF_LOOPBACK) == 0) {
        throw Error(ErrorKind::Network, fmt::format("the interface {} cannot do multicast", found.name),
                    fmt::format("enable it: ip link set {} multicast on", found.name));
    }
    const UniqueFd query = openQuery();
    ifreq request = requestFor(found.name);
    found.mtu = ::ioctl(query.get(), SIOCGIFMTU, &request) == 0
                    ? static_cast<std::uint32_t>(std::max(request.ifr_mtu, 576))
                    : 1500;
    found.index = static_cast<int>(::if_nametoindex(found.name.c_str()));
    found.bitRate = bitRateOf(query.get(), found.name);
    return found;
}

}  // namespace verbcast::multicast
