// Where to reach a peer or wait for one: verbs://host:port, tcp://host:port, shm://name, host:port.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace verbcast {

inline constexpr std::uint16_t kDefaultPort = 7423;
/// A scheme that is no transport: a multicast group, which leads to its sender (core/transport/multicast).
inline constexpr std::string_view kMulticastScheme = "multicast";

struct Url {
    std::string scheme;  ///< of a transport in the registry, or multicast; empty: the best one that works
    /// Name or address, without brackets; empty: every address (listen) or this host (connect).
    std::string host;
    std::uint16_t port = kDefaultPort;
    std::string name;                            ///< for transports that name their peers (shm)
    std::map<std::string, std::string> options;  ///< after '?': device=mlx5_0&port=1&gid=3

    /// Located by name, not by host and port.
    bool isName() const { return !name.empty(); }
    bool isMulticast() const { return scheme == kMulticastScheme; }
    std::string text() const;
};

/// Accepts "verbs://host:port?device=D", "tcp://[::1]:7000", "shm://name", "host", "host:port", ":port",
/// "[v6]:port". The schemes are those of the registry; "rdma" is another word for verbs, "auto" for none.
/// Throws Error{Usage} naming the part that is wrong and what was expected.
Url parseUrl(std::string_view text);

}  // namespace verbcast
