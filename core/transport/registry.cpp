#include "core/transport/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/transport/rdma/ofi.h"
#include "core/transport/rdma/verbs.h"
#include "core/transport/shm/shm.h"
#include "core/transport/tcp/tcp.h"

namespace verbcast {

std::span<const Transport> transports() {
    static const std::array kTransports{shmTransport(), verbsTransport(), tcpTransport(), ofiTransport()};
    return kTransports;
}

const Transport* findTransport(std::string_view scheme) {
    const auto all = transports();
    const auto found = std::ranges::find(all, scheme, &Transport::scheme);
    return found == all.end() ? nullptr : &*found;
}

const Transport& transportFor(const Url& url) {
    if (const Transport* transport = findTransport(url.scheme)) {
        return *transport;
    }
    throw Error(ErrorKind::Usage,
                fmt::format("the transport \"{}\" is unknown; {} expected", url.scheme, transportNames()),
                "write the transport before the address, for example tcp://192.168.1.2:7423");
}

const Transport& fallbackTransport() {
    return *std::ranges::find_if(transports(), &Transport::fallback);
}

std::string transportNames() {
    std::string names;
    for (const Transport& transport : transports()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", transport.scheme);
    }
    return names;
}

Url addressFor(const Transport& transport, const Url& url) {
    Url address = url;
    if (address.scheme.empty()) {
        address.scheme = transport.scheme;
        if (transport.namesPeers) {
            address.name = fmt::format("port-{}", url.port);
        }
    }
    return address;
}

}  // namespace verbcast
