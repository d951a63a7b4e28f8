#include "core/transport/verbs/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/transport/verbs/verbs_errors.h"
#include "core/transport/verbs/verbs_support.h"

namespace verbcast {
namespace {

// rdma_cm leaves min_rnr_timer at 0, which the specification reads as 655 ms. 12 is 0.64 ms (IBTA table 45).
constexpr std::uint8_t kRnrTimer = 12;
// 7 would mean for ever. Credits make receiver-not-ready impossible; this bounds a peer that breaks them.
constexpr std::uint8_t kRnrRetries = 6;
// Small messages go inside the work request where the device takes that many bytes; else as many as it takes.
constexpr std::array<std::uint32_t, 3> kInlineBytes = {256, 64, 0};

EndpointLimits queryLimits(const rdma_cm_id* id) {
    const char* name = ibv_get_device_name(id->verbs->device);
    ibv_device_attr device{};
    checkCode(ibv_query_device(id->verbs, &device), ErrorKind::Device, "ibv_query_device", name);
    ibv_port_attr port{};
    checkCode(ibv_query_port(id->verbs, id->port_num, &port), ErrorKind::Device, "ibv_query_port", name);
    EndpointLimits limits;
    const auto workRequests = static_cast<std::uint32_t>(std::max(device.max_qp_wr, 0));
    limits.sendDepth = std::min(kSendDepth, workRequests);
    limits.receiveDepth = std::min(kMaxReceives, workRequests);
    limits.largestWriteBytes = port.max_msg_sz;
    limits.mtuBytes = port.active_mtu >= IBV_MTU_256 ? 128 << port.active_mtu : 0;
    if (limits.sendDepth < 64 || limits.receiveDepth < kBaseReceives) {
        throw Error(ErrorKind::Device, fmt::format("{} allows {} work requests in a queue, {} needed", name,
                                                   workRequests, kBaseReceives));
    }
    return limits;
}

std::shared_ptr<ProtectionDomain> domainFor(ibv_context* context, bool shared) {
    return shared ? ProtectionDomain::sharedForSources(context) : std::make_shared<ProtectionDomain>(context);
}

}  // namespace

Endpoint::Endpoint(std::unique_ptr<CmEvents> events, CmIdHandle id, const TransportOptions& transport)
    : events_(std::move(events)),
      id_(std::move(id)),
      limits_(queryLimits(id_.get())),
      sharesDomain_(transport.sendsFrames),
      domain_(domainFor(id_->verbs, sharesDomain_)),
      completions_(id_->verbs, static_cast<int>(limits_.sendDepth + limits_.receiveDepth)),
      sendBuffers_(domain_->get(), kSendBuffers * kMaxWireMessageBytes,
                   MemoryRegistration::Access::LocalRead),
      notices_(domain_->get(), kFramesInFlight * sizeof(FrameNoticeMessage),
               MemoryRegistration::Access::LocalRead) {
    createQueuePair();
    addReceives(kBaseReceives);
}

Endpoint::~Endpoint() {
    queuePair_.reset();  // before the memory that it may touch, some of which was added later
    receiveBlocks_.clear();
    domain_->dropUnusedSources();
}

void Endpoint::createQueuePair() {
    ibv_qp_init_attr attributes{};
    attributes.send_cq = completions_.get();
    attributes.recv_cq = completions_.get();
    attributes.qp_type = IBV_QPT_RC;
    attributes.sq_sig_all = 0;
    attributes.cap.max_send_wr = limits_.sendDepth;
    attributes.cap.max_recv_wr = limits_.receiveDepth;
    attributes.cap.max_send_sge = 2;
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

void Endpoint::addReceives(std::uint32_t count) {
    if (receiveCount_ + count > limits_.receiveDepth) {
        throw Error(ErrorKind::Device,
                    fmt::format("{} allows {} receives, {} needed", deviceName(), limits_.receiveDepth,
                                receiveCount_ + count),
                    "use fewer slots (--slots)");
    }
    const std::uint32_t wanted = receiveCount_ + count;
    while (receiveBlocks_.size() * kReceivesPerBlock < wanted) {
        receiveBlocks_.emplace_back(domain_->get(), kReceivesPerBlock * kMaxWireMessageBytes,
                                    MemoryRegistration::Access::LocalWrite);
    }
    while (receiveCount_ < wanted) {
        checkCode(postReceive(receiveCount_), ErrorKind::Device, "ibv_post_recv", deviceName());
        ++receiveCount_;
    }
}

int Endpoint::postReceive(std::uint32_t index) noexcept {
    const RegisteredBuffer& block = receiveBlocks_[index / kReceivesPerBlock];
    ibv_sge entry{};
    entry.addr = block.address() + (index % kReceivesPerBlock) * kMaxWireMessageBytes;
    entry.length = kMaxWireMessageBytes;
    entry.lkey = block.localKey();
    ibv_recv_wr request{};
    request.wr_id = index;
    request.sg_list = &entry;
    request.num_sge = 1;
    ibv_recv_wr* failed = nullptr;
    return ibv_post_recv(queuePair(), &request, &failed);
}

const std::byte* Endpoint::receiveData(std::uint32_t index) const {
    return receiveBlocks_[index / kReceivesPerBlock].data() +
           (index % kReceivesPerBlock) * kMaxWireMessageBytes;
}

FrameNoticeMessage& Endpoint::notice(std::uint32_t index) const {
    return reinterpret_cast<FrameNoticeMessage*>(notices_.data())[index];
}

rdma_conn_param Endpoint::connectionParameters(std::span<const std::byte> privateData) const {
    rdma_conn_param parameters{};
    parameters.private_data = privateData.data();
    parameters.private_data_len = static_cast<std::uint8_t>(privateData.size());
    parameters.responder_resources = 1;  // no RDMA READs; some iWARP devices refuse 0
    parameters.initiator_depth = 1;
    parameters.retry_count = kTransmissions - 1;
    parameters.rnr_retry_count = kRnrRetries;
    return parameters;
}

Greeting Endpoint::greeting() const {
    Greeting greeting;
    greeting.features = hasImmediateWrites(id_->verbs) ? kTakesImmediates : 0;
    greeting.messageCredits = kMessageCredits;
    greeting.largestWriteBytes = limits_.largestWriteBytes;
    return greeting;
}

void Endpoint::finishSettings() {
    if (id_->verbs->device->transport_type != IBV_TRANSPORT_IB) {
        return;
    }
    ibv_qp_attr attributes{};
    attributes.min_rnr_timer = kRnrTimer;
    checkCode(ibv_modify_qp(queuePair(), &attributes, IBV_QP_MIN_RNR_TIMER), ErrorKind::Device,
              "ibv_modify_qp", deviceName());
}

std::optional<int> Endpoint::sourceGidIndex() const {
    ibv_qp_attr attributes{};
    ibv_qp_init_attr initial{};
    if (id_->verbs->device->transport_type != IBV_TRANSPORT_IB ||
        ibv_query_qp(queuePair(), &attributes, IBV_QP_AV, &initial) != 0 ||
        attributes.ah_attr.is_global == 0) {
        return std::nullopt;
    }
    return attributes.ah_attr.grh.sgid_index;
}

std::string Endpoint::describe(bool immediates, std::uint32_t chunkBytes) const {
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
    if (id_->verbs->device->transport_type == IBV_TRANSPORT_IB) {
        text += fmt::format(", IB MTU {}", limits_.mtuBytes);
    } else {
        text += ", iWARP";
    }
    text += immediates ? ", WRITE with immediate" : ", WRITE then SEND";
    return text + (chunkBytes >= (1U << 20) ? fmt::format(", {} MiB chunks", chunkBytes >> 20)
                                            : fmt::format(", {} KiB chunks", chunkBytes >> 10));
}

void Endpoint::requireGid(const VerbsOptions& options) const {
    const auto used = sourceGidIndex();
    if (options.gid && used && *used != *options.gid) {
        throw Error(ErrorKind::Device,
                    fmt::format("gid={} was asked for on {}, but the kernel connects with GID {}",
                                *options.gid, deviceName(), *used),
                    fmt::format("the kernel chooses between RoCE v1 and v2: see default_roce_mode in "
                                "/sys/kernel/config/rdma_cm/{}/ports/{}",
                                deviceName(), id_->port_num));
    }
}

}  // namespace verbcast
