// A multicast group as people write it, and the interface by which this host reaches it.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/transport/url.h"

namespace verbcast::multicast {

/// How datagrams travel.
enum class Via {
    Auto,  ///< by RDMA where both ends have a device for it, else by UDP
    Udp,
    Rdma,
};

/// An IPv4 group and a UDP port. Which interface: by name, or the one that the host's routes name.
struct GroupAddress {
    in_addr group{};
    std::uint16_t port = kDefaultPort;
    std::string interface;  ///< empty: by the routes
    Via via = Via::Auto;

    /// "239.10.0.7:7423"
    std::string text() const;
};

/// "239.10.0.7", "239.10.0.7:7423%eth1", "multicast://239.10.0.7:7423%eth1", "…?interface=eth1",
/// each with "?via=auto", "?via=udp" or "?via=rdma". Throws Error{Usage} for what is no multicast address, or
/// one that belongs to the network's own protocols (224.0.0.0/24).
GroupAddress parseGroup(std::string_view text);
/// Of an address that parseUrl() has read.
GroupAddress groupOf(const Url& url);

/// The interface by which a group is sent to and listened for.
struct GroupInterface {
    std::string name;
    int index = 0;
    in_addr address{};          ///< the first one of the interface
    std::uint32_t mtu = 0;      ///< bytes of an IP packet
    std::uint64_t bitRate = 0;  ///< per second, as the device says; 0: it does not
};

/// Throws Error{Network}: an interface that does not exist, is down, has no IPv4 address or cannot do
/// multicast; or, where none was named, no route to the group. With a remedy.
GroupInterface interfaceOf(const GroupAddress& address);

}  // namespace verbcast::multicast
