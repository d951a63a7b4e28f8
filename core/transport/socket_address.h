// Internet addresses: resolving, printing, and checking whether one is ours.
#pragma once

#include <sys/socket.h>

#include <string>
#include <vector>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"
#include "core/transport/url.h"

namespace verbcast {

/// A socket address of any family, with its length.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    int family() const { return storage.ss_family; }
    std::uint16_t port() const;
    /// "192.168.1.2:7423", "[::1]:7423"
    std::string text() const;
    /// Without the port; an IPv4 address mapped into IPv6 is written as IPv4.
    std::string host() const;
};

/// Addresses for url.host and url.port, best first; IPv4 and IPv6. An empty host gives the wildcard addresses
/// if `passive`, else those of this host itself. Numeric addresses are returned at once; for a name this
/// blocks until the name service answers, until the deadline, or until `cancel` (may be null) is set: then
/// there are no addresses. Throws Error{Network} for a name that is unknown or not resolved in time. Safe
/// from any thread.
std::vector<SocketAddress> resolve(const Url& url, bool passive, Deadline deadline,
                                   const Event* cancel = nullptr);

/// The host part of an address as SocketAddress::text() writes it, without IPv6 brackets, like Url::host.
/// Text without a port is returned unchanged.
std::string hostOfAddress(const std::string& text);

/// True when the address belongs to an interface of this machine (or is a loopback address).
bool isLocalAddress(const SocketAddress& address);
/// The same for text as SocketAddress::text() writes it; false for anything else.
bool isLocalAddressText(const std::string& text);
/// The same for a host as users write it: an address, or "localhost". Other names are not resolved: false.
bool isLocalHost(const std::string& host);

/// Address of our end (getsockname) or the peer's end (getpeername) of a socket.
SocketAddress localAddressOf(int socket);
SocketAddress peerAddressOf(int socket);

}  // namespace verbcast
