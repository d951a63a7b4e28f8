#include "core/transport/rdma/ud_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/transports.h"

namespace verbcast::ud {

DeviceFor deviceFor(const multicast::GroupInterface& interface) {
    const TransportAvailability devices = verbs::availability();
    if (!devices.available) {
        return {{}, devices.reason};
    }
    const auto all = deviceAddresses({});
    const auto own = std::ranges::find_if(all, [&](const DeviceAddress& each) {
        return each.address.family() == AF_INET &&
               each.address.v4().sin_addr.s_addr == interface.address.s_addr;
    });
    if (own == all.end()) {
        return {{}, fmt::format("no RDMA device leads to {}", interface.name)};
    }
    const std::string name = fmt::format("{} port {}", own->device, own->port);
    for (const RdmaDevice& device : rdmaDevices()) {
        if (device.name == own->device && device.transport == "iWARP") {
            return {{}, fmt::format("{} is iWARP, which has no multicast", own->device)};
        }
    }
    return own->active ? DeviceFor{name, {}} : DeviceFor{{}, fmt::format("{} is not active", name)};
}

}  // namespace verbcast::ud
