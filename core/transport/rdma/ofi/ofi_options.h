// The options of an ofi:// URL after the question mark, and the provider that they select.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/transport/rdma/ofi/ofi_handles.h"
#include "core/transport/socket_address.h"
#include "core/transport/url.h"

namespace verbcast {

struct OfiOptions {
    std::string provider;   ///< provider=tcp; empty: the best that works
    std::string domain;     ///< domain=eth0; empty: chosen by the address
    bool immediate = true;  ///< immediate=off: writes followed by a SEND
};

/// Throws Error{Usage} for an unknown option or value.
OfiOptions parseOfiOptions(const Url& url);

/// A way to reach a peer, or to be reached.
struct OfiWay {
    InfoHandle info;
    /// The provider is connectionless (FI_EP_RDM): a socket at the URL's address brings the two ends
    /// together.
    bool connectionless = false;
};

/// The best way to that address; for listeners (`passive`) a local address, or nothing for all of them.
/// Throws Error{Device} if no provider offers one, naming those that exist; Error{Network} if the port is
/// taken.
OfiWay findOfiWay(const OfiOptions& options, const std::optional<SocketAddress>& address, std::uint16_t port,
                  bool passive);

/// As a peer would write it: "ofi://10.77.0.1:7423?provider=tcp".
std::string ofiUrl(const fi_info& info, const std::string& address);

/// Providers that meet our needs, best first, each once: "verbs", "tcp", "shm". Blocks for some milliseconds.
std::vector<std::string> ofiProviders();

}  // namespace verbcast
