// Which internet addresses belong to which RDMA device: rdma_cm selects devices by address.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/verbs/verbs_options.h"
#include "core/transport/socket_address.h"
#include "core/transport/url.h"

namespace verbcast {

/// An address of this machine that belongs to a port of an RDMA device. The address's own port is 0.
struct DeviceAddress {
    std::string device;
    int port = 0;
    bool active = false;
    std::optional<int> gid;  ///< index of the GID that equals this address (RoCE)
    SocketAddress address;
};

/// The eight-group form of RdmaGid.
std::string gidText(std::span<const std::uint8_t, 16> gid);

/// All addresses that match the options. IPv4 first, link-local addresses last.
std::vector<DeviceAddress> deviceAddresses(const VerbsOptions& options);

/// Addresses for a listener's rdma_bind_addr, best first; the wildcards if the URL names neither host nor
/// device. Throws Error{Device} naming what exists, Error{Network} for an unknown host.
std::vector<SocketAddress> listenAddressesFor(const Url& url, const VerbsOptions& options);

/// Best first. A loopback host becomes an address of one of this machine's devices.
std::vector<SocketAddress> peerAddressesFor(const Url& url, const VerbsOptions& options, Deadline deadline,
                                            const Event& cancel);

/// Our end for that peer; nothing if routing may choose. Throws Error{Device} naming what exists.
std::optional<SocketAddress> sourceAddressFor(const SocketAddress& peer, const VerbsOptions& options);

}  // namespace verbcast
