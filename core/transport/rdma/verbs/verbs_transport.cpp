// The verbs transport's entry in the registry.
#include <fmt/format.h>

#include <algorithm>

#include "core/transport/rdma/rdma_rendezvous.h"
#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/verbs_connect.h"
#include "core/transport/rdma/verbs/verbs_domain.h"
#include "core/transport/transports.h"

namespace verbcast::verbs {
namespace {

/// Throws Error{Device} saying why verbs cannot be used on this machine.
void requireVerbs() {
    std::ranges::for_each(DeviceUse::ofMissingDevices(), &VerbsDomain::forgetDevice);
    const TransportAvailability devices = availability();
    if (!devices.available) {
        throw Error(ErrorKind::Device, fmt::format("verbs:// cannot be used here: {}", devices.reason),
                    "use tcp://, or see \"verbcast devices\"");
    }
}

RdmaConnectionOptions connectionOptions(const VerbsOptions& verbs) {
    return {.scheme = "verbs", .immediates = verbs.immediate};
}

}  // namespace

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options) {
    const VerbsOptions verbs = parseVerbsOptions(url);
    requireVerbs();
    return listenRdma(listenOnVerbs(url, verbs, options), connectionOptions(verbs));
}

Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel) {
    const VerbsOptions verbs = parseVerbsOptions(url);
    requireVerbs();
    return connectToFirst(
        url, peerAddressesFor(url, verbs, deadline, cancel), cancel, [&](const SocketAddress& address) {
            auto queue = openVerbsQueue(address, verbs, options, deadline, cancel);
            return queue ? connectRdma(std::move(queue), connectionOptions(verbs), deadline, cancel)
                         : Connection{};
        });
}

}  // namespace verbcast::verbs
