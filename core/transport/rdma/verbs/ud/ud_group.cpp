// Control path: choosing the device and setting up.
#include "core/transport/rdma/verbs/ud/ud_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/transport/rdma/ud_group.h"
#include "core/transport/rdma/verbs.h"
#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/verbs_errors.h"

namespace verbcast {
namespace {

// Places are aligned to cache lines.
constexpr std::size_t kPlaceAlignment = 64;
// If less memory may be locked, fewer receives will do.
constexpr std::uint32_t kMinReceives = 256;

AddressHandle handleFor(UdQueue& queue, int ttl) {
    ibv_ah_attr to = queue.group().ah_attr;
    to.grh.hop_limit = static_cast<std::uint8_t>(std::clamp(ttl, 1, 255));
    return AddressHandle(checkPointer(ibv_create_ah(queue.domain().get(), &to), ErrorKind::Device,
                                      "ibv_create_ah", queue.describe()));
}

/// For `places` places, or fewer if no more may be locked.
std::unique_ptr<RegisteredBuffer> receiveMemory(UdQueue& queue, std::size_t placeBytes,
                                                std::uint32_t& places) {
    for (;; places /= 2) {
        try {
            return std::make_unique<RegisteredBuffer>(queue.domain(), places * placeBytes,
                                                      MemoryUse::LocalWrite);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Resource || places / 2 < kMinReceives) {
                throw;
            }
        }
    }
}

}  // namespace

UdSender::UdSender(const multicast::GroupAddress& address, const multicast::GroupInterface& interface,
                   int ttl)
    : queue_(address, interface, UdUse::Send),
      room_(queue_.completions().descriptor()),
      to_(handleFor(queue_, ttl)),
      ring_(queue_.domain(), std::size_t{queue_.depth()} * queue_.mtu(), MemoryUse::LocalRead),
      free_(queue_.depth()) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        entries_[i].lkey = static_cast<std::uint32_t>(ring_.registration().localHandle);
        requests_[i].sg_list = &entries_[i];
        requests_[i].num_sge = 1;
        requests_[i].opcode = IBV_WR_SEND;
        requests_[i].wr.ud.ah = to_.get();
        requests_[i].wr.ud.remote_qpn = queue_.group().qp_num;
        requests_[i].wr.ud.remote_qkey = queue_.group().qkey;
    }
}

UdReceiver::UdReceiver(const multicast::GroupAddress& address, const multicast::GroupInterface& interface)
    : queue_(address, interface, UdUse::Receive),
      completed_(queue_.completions().descriptor()),
      placeBytes_((ud::kHeaderBytes + queue_.mtu() + kPlaceAlignment - 1) / kPlaceAlignment *
                  kPlaceAlignment),
      places_(queue_.depth()),
      ring_(receiveMemory(queue_, placeBytes_, places_)) {
    std::vector<std::uint32_t> all(places_);
    std::iota(all.begin(), all.end(), 0U);
    taken_.reserve(kBatch);
    post(all);
    if (!failure().empty()) {
        throw Error(ErrorKind::Device, failure(), "use via=udp");
    }
}

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
               std::memcmp(&reinterpret_cast<const sockaddr_in&>(each.address.storage).sin_addr,
                           &interface.address, sizeof interface.address) == 0;
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
