#include "core/transport/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/transport/rdma/receive_ring.h"
#include "core/transport/transports.h"

namespace verbcast {
namespace {

/// Worthwhile if both ends have a device; we can only see ours.
Transport::Choice chooseVerbs(const Url& /*url*/, Deadline /*deadline*/, const Event& /*cancel*/) {
    const TransportAvailability devices = verbs::availability();
    return {devices.available, devices.available ? "an RDMA device leads to the peer" : devices.reason};
}

Transport::Choice chooseTcp(const Url& /*url*/, Deadline /*deadline*/, const Event& /*cancel*/) {
    return {true, "it works over any network"};
}

constexpr std::array kTransports{
    Transport{.scheme = "shm",
              .label = "shared memory",
              .namesPeers = true,
              .reachesOtherHosts = false,
              .sharesMemory = true,
              .reachesDevices = true,
              .availability =
                  [] {
                      return TransportAvailability{true, "between processes of one user"};
                  },
              .listen = shm::listen,
              .connect = shm::connect,
              .automatic = true,
              .choose = shm::choose},
    Transport{.scheme = "verbs",
              .label = "RDMA",
              .reachesDevices = true,
              .rdmaOption = "device",
              .needsRdma = true,
              .messageCredits = kMessageCredits,
              .availability = verbs::availability,
              .listen = verbs::listen,
              .connect = verbs::connect,
              .automatic = true,
              .choose = chooseVerbs},
    Transport{.scheme = "tcp",
              .label = "TCP",
              .spinHelps = false,
              .availability =
                  [] {
                      return TransportAvailability{true, "works over any network"};
                  },
              .listen = tcp::listen,
              .connect = tcp::connect,
              .automatic = true,
              .fallback = true,
              .choose = chooseTcp},
    Transport{.scheme = "ofi",
              .label = "libfabric",
              .rdmaOption = "domain",
              .messageCredits = kMessageCredits,
              .availability = ofi::availability,
              .listen = ofi::listen,
              .connect = ofi::connect},
};

}  // namespace

std::span<const Transport> transports() {
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
