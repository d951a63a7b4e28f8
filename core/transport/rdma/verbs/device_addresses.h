// Which internet addresses lead through which RDMA device: rdma_cm chooses devices by address.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/verbs/verbs_options.h"
#include "core/transport/socket_address.h"
#include "core/transport/url.h"

namespace verbcast {

/// An address of this machine that belongs to a port of an RDMA device. The port of the address is 0.
struct DeviceAddress {
    std::string device;
    int port = 0;
    bool active = false;
    std::optional<int> gid;  ///< index whose GID is this address (RoCE)
    SocketAddress address;
};

/// All of them; those that fit the options only. IPv4 first, link-local addresses last.
std::vector<DeviceAddress> deviceAddresses(const VerbsOptions& options);

/// Addresses for rdma_bind_addr of a listener, best first; the wildcards when the URL names neither host nor
/// device. Throws Error{Device} naming what exists, Error{Network} for an unknown host.
std::vector<SocketAddress> listenAddressesFor(const Url& url, const VerbsOptions& options);

/// Addresses of the peer, best first. A loopback host becomes an address of a device of this machine.
std::vector<SocketAddress> peerAddressesFor(const Url& url, const VerbsOptions& options, Deadline deadline,
                                            const Event& cancel);

/// Our end for that peer; nothing when routing may choose. Throws Error{Device} naming what exists.
std::optional<SocketAddress> sourceAddressFor(const SocketAddress& peer, const VerbsOptions& options);

}  // namespace verbcast
