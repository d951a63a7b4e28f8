// Control path: creating, connecting, describing and ending a queue. The per-request work is in
// verbs_queue_datapath.cpp.
#include "core/transport/rdma/verbs/verbs_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/memory/slots.h"
#include "core/transport/rdma/receive_ring.h"
#include "core/transport/rdma/send_queue.h"
#include "core/transport/rdma/verbs/verbs_connect.h"
#include "core/transport/rdma/verbs/verbs_errors.h"
#include "core/transport/rdma/verbs/verbs_support.h"

namespace verbcast {
namespace {

// rdma_cm leaves min_rnr_timer at 0, which the specification defines as 655 ms. 12 is 0.64 ms (IBTA table
// 45).
constexpr std::uint8_t kRnrTimer = 12;
// 7 would mean forever. Credits rule out receiver-not-ready; this limits a peer that violates them.
constexpr std::uint8_t kRnrRetries = 6;
// Small messages go inline in the work request if the device takes that many bytes; else as many as it does.
constexpr std::array<std::uint32_t, 3> kInlineBytes = {256, 64, 0};
// For each slot of a sink's rings, both the old and the new one.
constexpr std::uint32_t kMaxReceives = kBaseReceives + 2 * static_cast<std::uint32_t>(kMaxSlots);

PortLimits limitsOf(const rdma_cm_id* id) {
    const char* name = ibv_get_device_name(id->verbs->device);
    ibv_device_attr device{};
    checkCode(ibv_query_device(id->verbs, &device), ErrorKind::Device, "ibv_query_device", name);
    ibv_port_attr port{};
    checkCode(ibv_query_port(id->verbs, id->port_num, &port), ErrorKind::Device, "ibv_query_port", name);
    const auto workRequests = static_cast<std::uint32_t>(std::max(device.max_qp_wr, 0));
    PortLimits limits;
    limits.sendDepth = std::min(kMaxSendDepth, workRequests);
    limits.receiveDepth = std::min(kMaxReceives, workRequests);
    limits.largestWriteBytes = port.max_msg_sz;
    limits.immediates = hasImmediateWrites(id->verbs);
    limits.immediatesTakeReceives = true;
    limits.keepsOrder = true;
    limits.revokesAtOnce = true;
    return limits;
}

std::shared_ptr<VerbsDomain> domainFor(ibv_context* context, const VerbsQueueOptions& options) {
    return options.sharesDomain ? VerbsDomain::sharedForSources(context)
                                : std::make_shared<VerbsDomain>(context, options.verbs.windows);
}

}  // namespace

VerbsQueue::VerbsQueue(std::unique_ptr<CmEvents> events, CmIdHandle id, const VerbsQueueOptions& options,
                       std::vector<std::byte> peerGreeting)
    : options_(options),
      use_(id->verbs),
      events_(std::move(events)),
      id_(std::move(id)),
      limits_(limitsOf(id_.get())),
      domain_(domainFor(id_->verbs, options)),
      portDomain_(domain_),
      completions_(id_->verbs, static_cast<int>(limits_.sendDepth + limits_.receiveDepth)),
      peerGreeting_(std::move(peerGreeting)) {
    limits_.windows = domain_->hasWindows();
    createQueuePair();
}

void VerbsQueue::createQueuePair() {
    ibv_qp_init_attr attributes{};
    attributes.send_cq = completions_.get();
    attributes.recv_cq = completions_.get();
    attributes.qp_type = IBV_QPT_RC;
    attributes.sq_sig_all = 0;
    attributes.cap.max_send_wr = limits_.sendDepth;
    attributes.cap.max_recv_wr = limits_.receiveDepth;
    attributes.cap.max_send_sge = 1;
    attributes.cap.max_recv_sge = 1;
    ibv_qp_init_attr granted{};
    int result = -1;
    for (const std::uint32_t bytes : kInlineBytes) {
        granted = attributes;
        granted.cap.max_inline_data = bytes;
        result = rdma_create_qp(id_.get(), domain_->get(), &granted);
        if (result == 0 || errno != EINVAL) {
            break;
        }
    }
    checkErrno(result, ErrorKind::Resource, "rdma_create_qp", deviceName());
    queuePair_.reset(id_.get());
    limits_.inlineBytes = granted.cap.max_inline_data;
}

rdma_conn_param VerbsQueue::connectionParameters(std::span<const std::byte> privateData) const {
    rdma_conn_param parameters{};
    parameters.private_data = privateData.data();
    parameters.private_data_len = static_cast<std::uint8_t>(privateData.size());
    parameters.responder_resources = 1;  // no RDMA READs; some iWARP devices refuse 0
    parameters.initiator_depth = 1;
    parameters.retry_count = kTransmissions - 1;
    parameters.rnr_retry_count = kRnrRetries;
    return parameters;
}

void VerbsQueue::begin(std::span<const std::byte> greeting) {
    rdma_conn_param parameters = connectionParameters(greeting);
    if (options_.accepts) {
        checkErrno(rdma_accept(id_.get(), &parameters), ErrorKind::Network, "rdma_accept", peerAddress());
        finishSettings();
    } else if (rdma_connect(id_.get(), &parameters) != 0) {
        throwConnectError("rdma_connect", errno, peerAddress());
    }
}

bool VerbsQueue::established() {
    if (options_.accepts) {
        return true;  // the peer's Hello shows it
    }
    const auto event = events_->next();
    if (!event) {
        return false;
    }
    if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
        VerbsDomain::forgetDevice(id_->verbs);
    }
    if (event->type != RDMA_CM_EVENT_ESTABLISHED) {
        throwConnectFailure(*event, peerAddress());
    }
    peerGreeting_.assign(event->privateSpan().begin(), event->privateSpan().end());
    finishSettings();
    return true;
}

/// Settings that rdma_cm leaves at harmful values.
void VerbsQueue::finishSettings() {
    requireGid();
    if (id_->verbs->device->transport_type != IBV_TRANSPORT_IB) {
        return;
    }
    ibv_qp_attr attributes{};
    attributes.min_rnr_timer = kRnrTimer;
    checkCode(ibv_modify_qp(id_->qp, &attributes, IBV_QP_MIN_RNR_TIMER), ErrorKind::Device, "ibv_modify_qp",
              deviceName());
}

std::optional<int> VerbsQueue::sourceGidIndex() const {
    ibv_qp_attr attributes{};
    ibv_qp_init_attr initial{};
    if (id_->verbs->device->transport_type != IBV_TRANSPORT_IB ||
        ibv_query_qp(id_->qp, &attributes, IBV_QP_AV, &initial) != 0 || attributes.ah_attr.is_global == 0) {
        return std::nullopt;
    }
    return attributes.ah_attr.grh.sgid_index;
}

std::string VerbsQueue::localAddress() const {
    return socketAddress(rdma_get_local_addr(id_.get())).text();
}

std::string VerbsQueue::peerAddress() const {
    return socketAddress(rdma_get_peer_addr(id_.get())).text();
}

std::string VerbsQueue::describe() const {
    std::string text = fmt::format("{} port {}", deviceName(), id_->port_num);
    if (const auto index = sourceGidIndex()) {
        ibv_gid_entry entry{};
        text += fmt::format(", GID {}", *index);
        if (ibv_query_gid_ex(id_->verbs, id_->port_num, static_cast<std::uint32_t>(*index), &entry, 0) == 0) {
            text += entry.gid_type == IBV_GID_TYPE_ROCE_V2   ? " RoCE v2"
                    : entry.gid_type == IBV_GID_TYPE_ROCE_V1 ? " RoCE v1"
                                                             : " InfiniBand";
        }
    }
    if (id_->verbs->device->transport_type != IBV_TRANSPORT_IB) {
        return text + ", iWARP";
    }
    ibv_port_attr port{};
    const bool known =
        ibv_query_port(id_->verbs, id_->port_num, &port) == 0 && port.active_mtu >= IBV_MTU_256;
    return known ? text + fmt::format(", IB MTU {}", 128 << port.active_mtu) : text;
}

/// Throws Error{Device} if rdma_cm chose another GID than the user asked for.
void VerbsQueue::requireGid() const {
    const auto used = sourceGidIndex();
    if (options_.verbs.gid && used && *used != *options_.verbs.gid) {
        throw Error(ErrorKind::Device,
                    fmt::format("gid={} was asked for on {}, but the kernel connects with GID {}",
                                *options_.verbs.gid, deviceName(), *used),
                    fmt::format("the kernel chooses between RoCE v1 and v2: see default_roce_mode in "
                                "/sys/kernel/config/rdma_cm/{}/ports/{}",
                                deviceName(), id_->port_num));
    }
}

std::uint64_t VerbsQueue::openWindow(const PortWindow& window) {
    MemoryWindowHandle made = domain_->makeWindow();
    checkPointer(made.get(), ErrorKind::Resource, "ibv_alloc_mw", deviceName());
    postBind(*made, window);
    windows_.push_back(std::move(made));
    return windows_.back()->rkey;
}

void VerbsQueue::closeWindow(std::uint64_t key) noexcept {
    std::erase_if(windows_, [=](const MemoryWindowHandle& window) { return window->rkey == key; });
}

void VerbsQueue::checkPeer() {
    try {
        while (const auto event = events_->next()) {
            switch (event->type) {
                case RDMA_CM_EVENT_DISCONNECTED:
                    failure_ = "the peer disconnected";
                    break;
                case RDMA_CM_EVENT_DEVICE_REMOVAL:
                    failure_ = fmt::format("the RDMA device {} was removed", deviceName());
                    VerbsDomain::forgetDevice(id_->verbs);
                    break;
                case RDMA_CM_EVENT_CONNECT_ERROR:
                case RDMA_CM_EVENT_UNREACHABLE:
                case RDMA_CM_EVENT_REJECTED:
                    failure_ = cmFailureText(event->type, event->status);
                    break;
                default:
                    break;  // ESTABLISHED on the accepting side, ADDR_CHANGE, TIMEWAIT_EXIT
            }
        }
    } catch (const Error& error) {
        failure_ = error.what();
    }
}

void VerbsQueue::stop() noexcept {
    if (queuePair_) {
        // Notifies the peer, whose writes fail from here on; without a queue pair the device no longer reads
        // or writes anything of ours.
        rdma_disconnect(id_.get());
        windows_.clear();
        queuePair_.reset();
    }
}

}  // namespace verbcast
