// What a verbs queue does per request and per completion: it only translates. No allocation, lock or log;
// system calls only in arm().
#include "core/transport/rdma/verbs/verbs_queue.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/memory/slots.h"
#include "core/transport/rdma/receive_ring.h"
#include "core/transport/rdma/send_queue.h"
#include "core/transport/rdma/verbs/verbs_connect.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

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
    limits.staysArmed = true;
    return limits;
}

std::shared_ptr<VerbsDomain> domainFor(ibv_context* context, const VerbsQueueOptions& options) {
    return options.sharesDomain ? VerbsDomain::sharedForSources(context)
                                : std::make_shared<VerbsDomain>(context, options.verbs.windows);
}

// Distinguishes our requests from receives: the opcode of a failed completion does not.
constexpr std::uint64_t kSendFlag = 1ULL << 63;
constexpr std::size_t kPollBatch = 16;

ibv_sge entryAt(std::uint64_t address, std::size_t count, std::uint64_t localHandle) {
    return {.addr = address,
            .length = static_cast<std::uint32_t>(count),
            .lkey = static_cast<std::uint32_t>(localHandle)};
}

Completion translate(const ibv_wc& from) {
    Completion completion;
    completion.workId = from.wr_id & ~kSendFlag;
    if (from.status != IBV_WC_SUCCESS) {
        completion.kind = Completion::Kind::Failed;
        completion.flushed = from.status == IBV_WC_WR_FLUSH_ERR;
        completion.status = from.status;
    } else if ((from.wr_id & kSendFlag) != 0) {
        completion.kind = Completion::Kind::Sent;
    } else if (from.opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
        completion.kind = Completion::Kind::Immediate;
        completion.tookReceive = true;
        completion.immediate = ntohl(from.imm_data);
    } else {
        completion.kind = Completion::Kind::Message;
        completion.bytes = from.byte_len;
    }
    return completion;
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

bool VerbsQueue::posted(int code) {
    if (code != 0 && failure_.empty()) {
        failure_ = fmt::format("{} takes no work requests: {} ({})", deviceName(), errnoText(code), code);
    }
    return code == 0;
}

bool VerbsQueue::receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes,
                         std::uint64_t localHandle) {
    ibv_sge entry = entryAt(reinterpret_cast<std::uint64_t>(into), bytes, localHandle);
    ibv_recv_wr request{};
    request.wr_id = workId;
    request.sg_list = &entry;
    request.num_sge = 1;
    ibv_recv_wr* failed = nullptr;
    return posted(ibv_post_recv(id_->qp, &request, &failed));
}

bool VerbsQueue::send(const PortSend& message) {
    ibv_sge entry = entryAt(reinterpret_cast<std::uint64_t>(message.bytes.data()), message.bytes.size(),
                            message.localHandle);
    ibv_send_wr request{};
    request.wr_id = message.workId | kSendFlag;
    request.opcode = IBV_WR_SEND;
    request.sg_list = &entry;
    request.num_sge = 1;
    request.send_flags = (message.isInline ? static_cast<unsigned>(IBV_SEND_INLINE) : 0U) |
                         (message.signalled ? static_cast<unsigned>(IBV_SEND_SIGNALED) : 0U);
    ibv_send_wr* failed = nullptr;
    return posted(ibv_post_send(id_->qp, &request, &failed));
}

bool VerbsQueue::write(std::span<const PortWrite> chain) {
    std::array<ibv_send_wr, kMaxWriteChain> requests;
    std::array<ibv_sge, kMaxWriteChain> entries;
    for (std::size_t at = 0; at < chain.size(); ++at) {
        const PortWrite& write = chain[at];
        entries[at] = entryAt(write.fromAddress, write.bytes, write.localHandle);
        ibv_send_wr& request = requests[at] = {};
        request.wr_id = write.workId | kSendFlag;
        request.next = at + 1 < chain.size() ? &requests[at + 1] : nullptr;
        request.sg_list = &entries[at];
        request.num_sge = 1;
        request.opcode = write.hasImmediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
        request.imm_data = htonl(write.immediate);
        request.send_flags = write.signalled ? static_cast<unsigned>(IBV_SEND_SIGNALED) : 0U;
        request.wr.rdma.remote_addr = write.remoteAddress;
        request.wr.rdma.rkey = static_cast<std::uint32_t>(write.remoteKey);
    }
    ibv_send_wr* failed = nullptr;
    return posted(ibv_post_send(id_->qp, requests.data(), &failed));
}

/// Later requests wait for it.
void VerbsQueue::postBind(ibv_mw& made, const PortWindow& window) {
    ibv_send_wr request{};
    request.wr_id = window.workId | kSendFlag;
    request.opcode = IBV_WR_BIND_MW;
    request.send_flags = IBV_SEND_SIGNALED;
    request.bind_mw.mw = &made;
    request.bind_mw.rkey = ibv_inc_rkey(made.rkey);  // counting up a window's key is its owner's job
    request.bind_mw.bind_info.mr = static_cast<const VerbsMemory*>(window.memory)->region();
    request.bind_mw.bind_info.addr = reinterpret_cast<std::uint64_t>(window.bytes.data());
    request.bind_mw.bind_info.length = window.bytes.size();
    request.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE;
    ibv_send_wr* failed = nullptr;
    posted(ibv_post_send(id_->qp, &request, &failed));
    made.rkey = request.bind_mw.rkey;
}

std::size_t VerbsQueue::poll(std::span<Completion> completions) {
    std::array<ibv_wc, kPollBatch> batch;
    const int count = completions_.poll({batch.data(), std::min(completions.size(), batch.size())});
    if (count < 0 && failure_.empty()) {
        failure_ = fmt::format("the completion queue of {} failed", deviceName());
    }
    const auto taken = static_cast<std::size_t>(std::max(count, 0));
    std::ranges::transform(std::span(batch).first(taken), completions.begin(), translate);
    return taken;
}

bool VerbsQueue::arm() {
    if (!completions_.arm()) {
        failure_ = fmt::format("the completion queue of {} failed", deviceName());
        return false;
    }
    return true;
}

}  // namespace verbcast
