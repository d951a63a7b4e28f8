// Which device leads to a group, and its two ends.
#include "core/transport/rdma/ud_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/ud/ud_receiver.h"
#include "core/transport/rdma/verbs/ud/ud_sender.h"
#include "core/transport/transports.h"

namespace verbcast {
namespace ud {
namespace {

/// Throws Error{Device}.
void requireDevice(const multicast::GroupInterface& interface) {
    if (const DeviceFor device = deviceFor(interface); device.name.empty()) {
        throw Error(ErrorKind::Device, device.whyNot, "see \"verbcast devices\"");
    }
}

}  // namespace

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

std::unique_ptr<multicast::GroupPort> openSender(const multicast::GroupAddress& address,
                                                 const multicast::GroupInterface& interface, int ttl) {
    requireDevice(interface);
    return std::make_unique<UdSender>(address, interface, ttl);
}

std::unique_ptr<multicast::GroupReceiver> openReceiver(const multicast::GroupAddress& address,
                                                       const multicast::GroupInterface& interface) {
    requireDevice(interface);
    return std::make_unique<UdReceiver>(address, interface);
}

}  // namespace ud
}  // namespace verbcast
