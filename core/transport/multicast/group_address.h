// A multicast group as users write it, and the interface by which this host reaches it.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/transport/url.h"

namespace verbcast::multicast {

/// How datagrams travel.
enum class Via {
    Auto,  ///< by RDMA if both ends have a device for it, else by UDP
    Udp,
    Rdma,
};

/// An IPv4 group and a UDP port. The interface is given by name, or chosen by the host's routes.
struct GroupAddress {
    in_addr group{};
    std::uint16_t port = kDefaultPort;
    std::string interface;  ///< empty: chosen by the routes
    Via via = Via::Auto;
    int ttl = 1;                ///< sending: 1: this network; each router subtracts 1
    std::uint64_t bitRate = 0;  ///< sending: most bits per second; 0: what the interfaces take

    /// "239.10.0.7:7423"
    std::string text() const;
    /// All of it, as parseGroup() reads it.
    std::string wholeText() const;
};

/// A sender's: "239.10.0.7", "239.10.0.7:7423%eth1", "multicast://239.10.0.7:7423%eth1", "…?interface=eth1",
/// each with "?via=auto|udp|rdma", "ttl=1" to 255 and "rate=800M" or "2.5G". Throws Error{Usage} if the
/// address is not multicast, or is reserved for the network's own protocols (224.0.0.0/24).
GroupAddress parseGroup(std::string_view text);
/// A viewer's address, which parseUrl() has parsed. Throws besides if it has a ttl or a rate.
GroupAddress groupOf(const Url& url);

/// "10.0.0.2"
std::string hostText(in_addr address);

/// The interface through which a group is sent to and received.
struct GroupInterface {
    std::string name;
    int index = 0;
    in_addr address{};          ///< the interface's first one
    std::uint32_t mtu = 0;      ///< bytes of an IP packet
    std::uint64_t bitRate = 0;  ///< per second, as reported by the device; 0: unknown
};

/// Throws Error{Network} for an interface that does not exist, is down, has no IPv4 address or cannot do
/// multicast; or, if none was named, if there is no route to the group. With a remedy.
GroupInterface interfaceOf(const GroupAddress& address);

}  // namespace verbcast::multicast
