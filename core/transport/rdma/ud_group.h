// Multicast groups of an RDMA network: unreliable datagrams (UD) of InfiniBand and RoCE. A group is named by
// its IPv4 address there, too; it has no ports. No verbs types.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/transport/multicast/group_address.h"
#include "core/transport/multicast/group_port.h"

namespace verbcast::ud {

/// Precedes each received datagram: IBA's global routing header, or an IPv4 header in its last 20 bytes (RoCE
/// v2).
inline constexpr std::size_t kHeaderBytes = 40;

/// What the device reports about a filled receive.
struct Filled {
    std::span<const std::byte> buffer;  ///< header and datagram
    std::size_t bytes = 0;              ///< how many of them are filled
    bool hasHeader = false;             ///< else the first kHeaderBytes are meaningless
    std::uint32_t sourceQueue = 0;
};

/// The datagram; nothing if it is invalid or has no source. Safe for any bytes and numbers.
std::optional<multicast::GroupDatagram> datagramOf(const Filled& filled);

/// "rxe0 port 1" for an interface that leads through an active port of a device that supports such groups;
/// otherwise `whyNot` says why there is none.
struct DeviceFor {
    std::string name;  ///< empty: none
    std::string whyNot;
};
DeviceFor deviceFor(const multicast::GroupInterface& interface);

/// Both throw Error{Device} with deviceFor()'s reason if there is no device, Error{Resource, Network} if it
/// cannot be used, and block for up to two seconds while the network's management answers. `ttl` as for UDP.
std::unique_ptr<multicast::GroupPort> openSender(const multicast::GroupAddress& address,
                                                 const multicast::GroupInterface& interface, int ttl);
std::unique_ptr<multicast::GroupReceiver> openReceiver(const multicast::GroupAddress& address,
                                                       const multicast::GroupInterface& interface);

}  // namespace verbcast::ud
