#include "core/transport/rdma/verbs/ud/ud_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/os/event.h"
#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/ud_group.h"
#include "core/transport/rdma/verbs/verbs_handles.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

// A chain of sends, and some waiting behind it: 4 MiB.
constexpr std::uint32_t kUdSends = 1024;
// What arrives while the receiver's thread is not scheduled: with headers, 32 MiB at an MTU of 4096.
constexpr std::uint32_t kUdReceives = 8000;
// A chain must fit; devices grant thousands.
constexpr std::uint32_t kLeastDepth = 128;
// Less cannot hold a datagram's head and a chunk.
constexpr std::uint32_t kMinMtu = 512;
// A subnet manager answers a join request in milliseconds.
constexpr std::chrono::seconds kJoinPatience{2};
// IPoIB puts its four-byte header into datagrams of the size that the subnet manager assigned to its group.
constexpr std::uint32_t kIpoibHead = 4;

/// An id bound to the device that has the address.
CmIdHandle boundTo(const CmEvents& events, in_addr address, const std::string& what) {
    CmIdHandle id = events.makeId(RDMA_PS_UDP, what);
    sockaddr_in own = ipv4Address(address, 0);
    checkErrno(rdma_bind_addr(id.get(), reinterpret_cast<sockaddr*>(&own)), ErrorKind::Device,
               "rdma_bind_addr", what);
    if (id->verbs == nullptr) {
        throw Error(ErrorKind::Device, fmt::format("{}: no RDMA device has its address", what),
                    "see \"verbcast devices\"");
    }
    return id;
}

std::array<std::byte, 16> bytesOf(const ibv_gid& gid) {
    std::array<std::byte, 16> bytes{};
    std::memcpy(bytes.data(), gid.raw, bytes.size());
    return bytes;
}

}  // namespace

void requireDevice(const multicast::GroupInterface& interface) {
    if (const ud::DeviceFor device = ud::deviceFor(interface); device.name.empty()) {
        throw Error(ErrorKind::Device, device.whyNot, "see \"verbcast devices\"");
    }
}

UdQueue::UdQueue(const multicast::GroupAddress& address, const multicast::GroupInterface& interface,
                 UdUse use)
    : what_(fmt::format("{} on {}", address.text(), interface.name)),
      address_(ipv4Address(address.group, 0)),
      id_(boundTo(events_, interface.address, what_)),
      name_(ibv_get_device_name(id_->verbs->device)),
      domain_(id_->verbs) {
    use_.emplace(id_->verbs);
    measure(interface, use);
    completions_.emplace(id_->verbs, static_cast<int>(depth_));
    createQueuePair(use);
    join(use);
    ibv_gid own{};
    const int queried = ibv_query_gid(id_->verbs, id_->port_num, group_.ah_attr.grh.sgid_index, &own);
    if (queried != 0) {
        stop();  // a queue pair that has joined a group cannot be destroyed
    }
    checkCode(queried == 0 ? 0 : EIO, ErrorKind::Device, "ibv_query_gid", name_);
    ownId_ = bytesOf(own);
}

void UdQueue::measure(const multicast::GroupInterface& interface, UdUse use) {
    ibv_device_attr device{};
    checkCode(ibv_query_device(id_->verbs, &device), ErrorKind::Device, "ibv_query_device", name_);
    depth_ = std::min({use == UdUse::Send ? kUdSends : kUdReceives,
                       static_cast<std::uint32_t>(std::max(device.max_qp_wr, 0)),
                       static_cast<std::uint32_t>(std::max(device.max_cqe, 0))});
    bitRate_ = interface.bitRate;
    for (const RdmaDevice& each : rdmaDevices()) {
        for (const RdmaPort& port : each.ports) {
            if (each.name == name_ && port.number == id_->port_num) {
                mtu_ = static_cast<std::uint32_t>(port.activeMtu);
                mtu_ = port.linkLayer == "InfiniBand" ? std::min(mtu_, interface.mtu + kIpoibHead) : mtu_;
                bitRate_ = bitRate_ == 0 ? static_cast<std::uint64_t>(port.linkGigabits * 1e9) : bitRate_;
            }
        }
    }
    if (mtu_ < kMinMtu || depth_ < kLeastDepth) {
        throw Error(ErrorKind::Device,
                    fmt::format("{} port {} takes datagrams of {} bytes and queues of {}: {} and {} needed",
                                name_, id_->port_num, mtu_, depth_, kMinMtu, kLeastDepth),
                    "raise the MTU of its interface, or use via=udp");
    }
}

void UdQueue::createQueuePair(UdUse use) {
    ibv_qp_init_attr attributes{};
    attributes.send_cq = completions_->get();
    attributes.recv_cq = completions_->get();
    attributes.qp_type = IBV_QPT_UD;
    attributes.sq_sig_all = 0;
    attributes.cap.max_send_wr = use == UdUse::Send ? depth_ : 1;
    attributes.cap.max_recv_wr = use == UdUse::Receive ? depth_ : 1;
    attributes.cap.max_send_sge = 1;
    attributes.cap.max_recv_sge = 1;
    checkErrno(rdma_create_qp(id_.get(), domain_.get(), &attributes), ErrorKind::Resource, "rdma_create_qp",
               name_);
    queuePair_.reset(id_.get());
}

std::optional<CmEvent> UdQueue::answer(Deadline deadline) {
    for (;;) {
        if (auto event = events_.next()) {
            return event;
        }
        if (deadline.passed()) {
            return std::nullopt;
        }
        waitReadable({events_.descriptor()}, deadline);
    }
}

/// Pure senders ask for a send-only join: then none of the group's traffic comes here. Not all subnet
/// managers support it.
void UdQueue::join(UdUse use) {
    auto* const group = reinterpret_cast<sockaddr*>(&address_);
    for (bool sendOnly = use == UdUse::Send;; sendOnly = false) {
        rdma_cm_join_mc_attr_ex request{};
        request.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
        request.join_flags = sendOnly ? RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER : RDMA_MC_JOIN_FLAG_FULLMEMBER;
        request.addr = group;
        if (rdma_join_multicast_ex(id_.get(), &request, nullptr) != 0) {
            if (sendOnly) {
                continue;
            }
            throwErrno(ErrorKind::Network, "rdma_join_multicast", what_, errno,
                       "use via=udp, or see that the device does multicast: ibv_devinfo -v");
        }
        const auto event = answer(Deadline::in(kJoinPatience));
        if (event && event->type == RDMA_CM_EVENT_MULTICAST_JOIN && event->status == 0) {
            group_ = event->group;
            joined_ = true;
            return;
        }
        rdma_leave_multicast(id_.get(), group);
        if (event && event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
            VerbsDomain::forgetDevice(id_->verbs);
        } else if (sendOnly) {
            continue;
        }
        throw Error(
            ErrorKind::Network,
            fmt::format("{} cannot join {}: {}", name_, what_,
                        event ? cmFailureText(event->type, event->status) : "no answer in two seconds"),
            "on InfiniBand, see that a subnet manager runs; or use via=udp");
    }
}

std::array<std::byte, 16> UdQueue::groupId() const {
    return bytesOf(group_.ah_attr.grh.dgid);
}

std::string UdQueue::describe() const {
    return fmt::format("{} port {}, MTU {}", name_, id_->port_num, mtu_);
}

void UdQueue::fail(const std::string& why) noexcept {
    if (failure_.empty()) {
        failure_ = why;
    }
}

void UdQueue::takeEvents() noexcept {
    try {
        while (const auto event = events_.next()) {
            if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
                fail(fmt::format("the RDMA device {} was removed", name_));
                VerbsDomain::forgetDevice(id_->verbs);
            } else if (event->type == RDMA_CM_EVENT_MULTICAST_ERROR) {
                fail(fmt::format("{} has lost the group {}: {}", name_, what_,
                                 cmFailureText(event->type, event->status)));
            }
        }
    } catch (const Error& error) {
        fail(error.what());
    }
}

void UdQueue::stop() noexcept {
    if (joined_) {
        joined_ = false;
        rdma_leave_multicast(id_.get(), reinterpret_cast<sockaddr*>(&address_));
    }
    queuePair_.reset();
}

}  // namespace verbcast
