#include "core/transport/rdma/verbs/device_addresses.h"

#include <fmt/format.h>
#include <netpacket/packet.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "core/base/error.h"
#include "core/base/os/folder.h"

namespace verbcast {
namespace {

/// The address as a GID: IPv4 addresses are mapped (RoCE annex A17.4.2).
std::string asGid(const SocketAddress& address) {
    in6_addr bytes{};
    if (address.family() == AF_INET) {
        bytes.s6_addr[10] = bytes.s6_addr[11] = 0xff;
        std::memcpy(&bytes.s6_addr[12], &address.v4().sin_addr, 4);
    } else {
        bytes = address.v6().sin6_addr;
    }
    return gidText(bytes.s6_addr);
}

/// An iWARP GID starts with the hardware address of the network interface.
std::string macAsGidStart(const sockaddr* raw) {
    const auto* link = reinterpret_cast<const sockaddr_ll*>(raw);
    const unsigned char* mac = link->sll_addr;
    return fmt::format("{:02x}{:02x}:{:02x}{:02x}:{:02x}{:02x}:", mac[0], mac[1], mac[2], mac[3], mac[4],
                       mac[5]);
}

/// Network interfaces of an InfiniBand (IPoIB) or PCI device, according to sysfs.
std::vector<std::string> sysfsInterfaces(const std::string& device, int port) {
    const std::string folder = "/sys/class/infiniband/" + device + "/device/net";
    std::vector<std::string> names = namesIn(folder);
    std::erase_if(names, [&](const std::string& name) {
        std::ifstream file(folder + "/" + name + "/dev_port");
        int devicePort = 0;
        return file >> devicePort && devicePort != port - 1;
    });
    return names;
}

std::vector<std::string> interfacesOf(const RdmaDevice& device, const RdmaPort& port) {
    std::vector<std::string> names;
    for (const RdmaGid& gid : port.gids) {
        if (!gid.netdev.empty()) {
            names.push_back(gid.netdev);
        }
    }
    if (names.empty() && device.transport == "iWARP" && !port.gids.empty()) {
        const Interfaces list = hostInterfaces();
        for (const ifaddrs* item = list.get(); item != nullptr; item = item->ifa_next) {
            if (item->ifa_addr != nullptr && item->ifa_addr->sa_family == AF_PACKET &&
                port.gids.front().gid.starts_with(macAsGidStart(item->ifa_addr))) {
                names.emplace_back(item->ifa_name);
            }
        }
    }
    return names.empty() ? sysfsInterfaces(device.name, port.number) : names;
}

int preference(const DeviceAddress& candidate) {
    if (candidate.address.family() == AF_INET) {
        return 0;
    }
    return IN6_IS_ADDR_LINKLOCAL(&candidate.address.v6().sin6_addr) ? 2 : 1;
}

void addPort(const RdmaDevice& device, const RdmaPort& port, std::vector<DeviceAddress>& result) {
    const auto names = interfacesOf(device, port);
    const Interfaces list = hostInterfaces();
    for (const ifaddrs* item = list.get(); item != nullptr; item = item->ifa_next) {
        const SocketAddress address = SocketAddress::of(item->ifa_addr);
        if (address.length == 0 || std::find(names.begin(), names.end(), item->ifa_name) == names.end()) {
            continue;
        }
        // The same address may be listed for RoCE v1 and v2: each GID is a separate candidate.
        const std::string wanted = asGid(address);
        DeviceAddress candidate{device.name, port.number, port.state == "ACTIVE", std::nullopt, address};
        bool any = false;
        for (const RdmaGid& gid : port.gids) {
            if (port.linkLayer == "Ethernet" && gid.gid == wanted) {
                candidate.gid = gid.index;
                result.push_back(candidate);
                any = true;
            }
        }
        if (!any) {
            // iWARP has one GID, which is not an address. InfiniBand's is checked after connecting.
            candidate.gid = device.transport == "iWARP" ? std::optional(0) : std::nullopt;
            result.push_back(candidate);
        }
    }
}

bool fits(const DeviceAddress& candidate, const VerbsOptions& options) {
    return (!options.device || *options.device == candidate.device) &&
           (!options.port || *options.port == candidate.port) &&
           (!options.gid || !candidate.gid || *options.gid == *candidate.gid);
}

std::string describeChoice(const VerbsOptions& options) {
    std::string text = options.device ? "RDMA device \"" + *options.device + "\"" : "RDMA devices";
    text += options.port ? fmt::format(" port {}", *options.port) : "";
    return text + (options.gid ? fmt::format(" GID {}", *options.gid) : "");
}

/// The address without its port; IPv6 in brackets.
std::string hostText(const SocketAddress& address) {
    const std::string text = address.text();
    return text.substr(0, text.rfind(':'));
}

[[noreturn]] void throwNoDevice(const VerbsOptions& options, const std::string& problem) {
    std::string exists;
    for (const DeviceAddress& one : deviceAddresses({})) {
        exists += fmt::format("{}{} port {}{}: {}", exists.empty() ? "" : "; ", one.device, one.port,
                              one.gid ? fmt::format(" GID {}", *one.gid) : "", hostText(one.address));
    }
    throw Error(ErrorKind::Device, fmt::format("{}: {}", describeChoice(options), problem),
                exists.empty()
                    ? "this machine has no RDMA device with an IP address (see \"verbcast devices\")"
                    : "this machine has " + exists);
}

SocketAddress wildcard(int family, std::uint16_t port) {
    SocketAddress address;
    address.storage.ss_family = static_cast<sa_family_t>(family);
    address.length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    address.setPort(port);
    return address;
}

bool isLoopback(const SocketAddress& address) {
    const std::string host = address.host();
    return host.starts_with("127.") || host == "::1";
}

/// Addresses of active ports that match the options, with the URL's port. Throws if there are none.
std::vector<SocketAddress> ownAddresses(const VerbsOptions& options, std::uint16_t port) {
    std::vector<SocketAddress> result;
    const auto candidates = deviceAddresses(options);
    for (const DeviceAddress& candidate : candidates) {
        if (candidate.active) {
            result.push_back(candidate.address);
            result.back().setPort(port);
        }
    }
    if (result.empty()) {
        throwNoDevice(options, candidates.empty() ? "none with an IP address was found"
                                                  : "none of its ports is active");
    }
    return result;
}

/// A loopback host becomes our devices' addresses.
std::vector<SocketAddress> notLoopback(const std::vector<SocketAddress>& addresses, const Url& url,
                                       const VerbsOptions& options) {
    return std::ranges::any_of(addresses, isLoopback) ? ownAddresses(options, url.port) : addresses;
}

}  // namespace

std::string gidText(std::span<const std::uint8_t, 16> gid) {
    std::string text;
    for (std::size_t at = 0; at < gid.size(); at += 2) {
        text += fmt::format("{}{:02x}{:02x}", at == 0 ? "" : ":", gid[at], gid[at + 1]);
    }
    return text;
}

std::vector<DeviceAddress> deviceAddresses(const VerbsOptions& options) {
    std::vector<DeviceAddress> all;
    for (const RdmaDevice& device : rdmaDevices()) {
        for (const RdmaPort& port : device.ports) {
            addPort(device, port, all);
        }
    }
    std::erase_if(all, [&](const DeviceAddress& candidate) { return !fits(candidate, options); });
    std::ranges::stable_sort(all, {}, preference);
    return all;
}

std::vector<RdmaAddress> rdmaAddresses() {
    std::vector<RdmaAddress> result;
    for (const DeviceAddress& one : deviceAddresses({})) {
        const RdmaAddress address{one.device, one.port, hostText(one.address)};
        // A RoCE address has one GID per version.
        const bool known = std::ranges::any_of(result, [&](const RdmaAddress& other) {
            return other.device == address.device && other.port == address.port &&
                   other.address == address.address;
        });
        if (!known) {
            result.push_back(address);
        }
    }
    return result;
}

bool verbsCompiledIn() {
    return true;
}

std::vector<SocketAddress> listenAddressesFor(const Url& url, const VerbsOptions& options) {
    if (!options.choosesDevice()) {
        if (url.host.empty()) {
            // An IPv6 wildcard accepts IPv4 peers too.
            return {wildcard(AF_INET6, url.port), wildcard(AF_INET, url.port)};
        }
        return notLoopback(resolveToListen(url), url, options);
    }
    std::vector<SocketAddress> own = ownAddresses(options, url.port);
    if (url.host.empty()) {
        return own;
    }
    const auto asked = notLoopback(resolveToListen(url), url, options);
    std::erase_if(own, [&](const SocketAddress& mine) {
        return std::ranges::find(asked, mine.text(), &SocketAddress::text) == asked.end();
    });
    if (own.empty()) {
        throwNoDevice(options, fmt::format("does not have the address {}", url.host));
    }
    return own;
}

std::vector<SocketAddress> peerAddressesFor(const Url& url, const VerbsOptions& options, Deadline deadline,
                                            const Event& cancel) {
    return notLoopback(resolve(url, false, deadline, &cancel), url, options);
}

std::optional<SocketAddress> sourceAddressFor(const SocketAddress& peer, const VerbsOptions& options) {
    if (!options.choosesDevice()) {
        return std::nullopt;
    }
    const auto all = ownAddresses(options, 0);
    if (const auto own = std::ranges::find(all, peer.family(), &SocketAddress::family); own != all.end()) {
        return *own;
    }
    throwNoDevice(options, fmt::format("has no {} address to reach {} from",
                                       peer.family() == AF_INET ? "IPv4" : "IPv6", peer.text()));
}

}  // namespace verbcast
