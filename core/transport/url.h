// Where a peer is, or where to wait for one: verbs://host:port, tcp://host:port, shm://name, host:port.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace verbcast {

inline constexpr std::uint16_t kDefaultPort = 7423;

enum class Scheme { Auto, Verbs, Tcp, Shm };
std::string_view schemeName(Scheme scheme);

struct Url {
    Scheme scheme = Scheme::Auto;
    std::string
        host;  ///< name or address, without brackets; empty: every address (listen) or localhost (connect)
    std::uint16_t port = kDefaultPort;
    std::string name;                            ///< shm only
    std::map<std::string, std::string> options;  ///< after '?': device=mlx5_0&port=1&gid=3

    std::string text() const;
};

/// Accepts "verbs://host:port?device=D", "tcp://[::1]:7000", "shm://name", "host", "host:port", ":port",
/// "[v6]:port". Throws Error{Usage} naming the part that is wrong and what was expected.
Url parseUrl(std::string_view text);

}  // namespace verbcast
