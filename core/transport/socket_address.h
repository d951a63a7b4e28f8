// Internet addresses: resolving, printing, and those of this host.
#pragma once

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/url.h"

namespace verbcast {

/// A socket address of any family, with its length.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;

    /// A copy of an IPv4 or IPv6 address; empty for null and for other families.
    static SocketAddress of(const sockaddr* raw);

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    int family() const { return storage.ss_family; }
    /// Only for an address of that family.
    const sockaddr_in& v4() const { return reinterpret_cast<const sockaddr_in&>(storage); }
    const sockaddr_in6& v6() const { return reinterpret_cast<const sockaddr_in6&>(storage); }
    std::uint16_t port() const;
    void setPort(std::uint16_t port);
    /// "192.168.1.2:7423", "[::1]:7423"
    std::string text() const;
    /// Without the port; an IPv4 address mapped into IPv6 is written as IPv4. Empty for other families.
    std::string host() const;
};

sockaddr_in ipv4Address(in_addr host, std::uint16_t port);
/// A Unix socket's in the abstract namespace (unix(7)), which leaves nothing behind in the file system: at
/// most 107 bytes.
SocketAddress abstractAddress(std::string_view name);

/// A non-blocking socket. Throws Error{Resource}, naming `what` it is for, when there are no descriptors
/// left.
UniqueFd openSocket(int family, int type, const std::string& what);

/// Addresses for url.host and url.port, best first; IPv4 and IPv6. An empty host gives the wildcard addresses
/// if `passive`, else those of this host itself. Numeric addresses are returned at once; for a name this
/// blocks until the name service answers, until the deadline, or until `cancel` (may be null) is set: then
/// there are no addresses. Throws Error{Network} for a name that is unknown or not resolved in time. Safe
/// from any thread.
std::vector<SocketAddress> resolve(const Url& url, bool passive, Deadline deadline,
                                   const Event* cancel = nullptr);
/// Those to listen at, with five seconds for the name service.
std::vector<SocketAddress> resolveToListen(const Url& url);
/// Of a host in numbers; nothing for anything else. Its port is 0.
std::optional<SocketAddress> numericAddress(const std::string& host);

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

/// This host's interfaces, each once for every address that it has; null, with errno set, if they cannot be
/// read.
using Interfaces = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>;
Interfaces hostInterfaces();

/// Addresses at which others reach this host, numeric and without a port: those of interfaces that are up,
/// except loopback and link-local ones. Empty if they cannot be read.
std::vector<std::string> hostAddresses();
/// The interface that has this address, with or without a port; "": none, or unknown.
std::string interfaceWith(const std::string& address);
/// The interface that the kernel would use to send to that address (numeric, no port); "": none. Sends
/// nothing.
std::string interfaceTowards(const std::string& address);

}  // namespace verbcast
