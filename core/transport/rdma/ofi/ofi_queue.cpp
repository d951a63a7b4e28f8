// What a libfabric queue does per request and per completion.
//
// A request is recorded in a ring and posted at once, or, if the provider returns FI_EAGAIN, on a later
// poll(): so posting never blocks. Providers may complete out of order; the ring restores it, because a Sent
// completion stands for all requests before it.
//
// No allocation, lock or log of ours; the provider may do as it likes.
#include "core/transport/rdma/ofi/ofi_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/transport/rdma/rdma_devices.h"

namespace verbcast {
namespace {

PortLimits limitsOf(const fi_info& info) {
    const std::uint64_t order = info.tx_attr->msg_order & info.rx_attr->msg_order;
    PortLimits limits;
    limits.sendDepth = static_cast<std::uint32_t>(std::min<std::size_t>(info.tx_attr->size, kMaxSendDepth));
    limits.receiveDepth = static_cast<std::uint32_t>(std::min<std::size_t>(info.rx_attr->size, 65535));
    limits.inlineBytes = 0;  // a message that waits until the provider accepts it needs its own memory
    limits.largestWriteBytes =
        static_cast<std::uint32_t>(std::min<std::size_t>(info.ep_attr->max_msg_size, 1U << 30));
    // EFA may claim to support writes with data, but then sends them as messages.
    const std::string_view provider = info.fabric_attr->prov_name;
    limits.immediates = info.domain_attr->cq_data_size >= 4 && provider.find("efa") == std::string_view::npos;
    limits.immediatesTakeReceives = (info.mode & FI_RX_CQ_DATA) != 0;
    limits.keepsOrder = (order & FI_ORDER_WAW) != 0 && (order & FI_ORDER_SAW) != 0 &&
                        info.ep_attr->max_order_waw_size >= kMaxRdmaWrite;
    limits.revokesAtOnce = false;
    // To tcp, a message is complete once the kernel has it, and stopping with bytes unread takes it back: the
    // connection is reset.
    limits.heardAfterStop = provider == "verbs";
    return limits;
}

constexpr std::size_t kPollBatch = 16;
constexpr TimestampNs kMinNap = 50'000;
constexpr TimestampNs kMaxNap = 1'000'000;

}  // namespace

OfiQueue::OfiQueue(const SharedFabric& fabric, const fi_info& info, bool onlySends)
    : info_(fi_dupinfo(&info)), onlySends_(onlySends) {
    if (!info_) {
        throwErrno(ErrorKind::Resource, "fi_dupinfo", "a queue", ENOMEM);
    }
    domain_ = OfiDomain::forQueue(fabric, *info_, onlySends);
    limits_ = limitsOf(*info_);
    openCompletionQueue();
    fid_ep* endpoint = nullptr;
    checkOfi(fi_endpoint(domain_->get(), info_.get(), &endpoint, nullptr), ErrorKind::Resource, "fi_endpoint",
             deviceName());
    endpoint_.reset(endpoint);
    if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
        domain_->setEndpoint(endpoint);
    }
}

void OfiQueue::openCompletionQueue() {
    fi_cq_attr attributes{};
    attributes.size = limits_.sendDepth + limits_.receiveDepth;
    attributes.format = FI_CQ_FORMAT_DATA;
    attributes.wait_obj = FI_WAIT_FD;
    fid_cq* queue = nullptr;
    if (fi_cq_open(domain_->get(), &attributes, &queue, nullptr) == 0) {
        completions_.reset(queue);
        if (fi_control(&queue->fid, FI_GETWAIT, &wait_) == 0) {
            waited_.push_back(&queue->fid);
            return;
        }
    }
    attributes.wait_obj = FI_WAIT_NONE;
    completions_.reset();
    checkOfi(fi_cq_open(domain_->get(), &attributes, &queue, nullptr), ErrorKind::Resource, "fi_cq_open",
             deviceName());
    completions_.reset(queue);
    timer_.emplace(deviceName());
    wait_ = timer_->descriptor();
}

void OfiQueue::enable(std::initializer_list<fid*> others) {
    checkOfi(fi_ep_bind(endpoint_.get(), &completions_->fid, FI_TRANSMIT | FI_RECV), ErrorKind::Device,
             "fi_ep_bind", deviceName());
    for (fid* other : others) {
        checkOfi(fi_ep_bind(endpoint_.get(), other, 0), ErrorKind::Device, "fi_ep_bind", deviceName());
    }
    checkOfi(fi_enable(endpoint_.get()), ErrorKind::Resource, "fi_enable", deviceName());
}

std::string OfiQueue::deviceName() const {
    const char* domain = info_->domain_attr->name;
    return fmt::format("{} {}", info_->fabric_attr->prov_name, domain != nullptr ? domain : "");
}

std::string OfiQueue::describe() const {
    return fmt::format("provider {}, domain {}, {}{}", info_->fabric_attr->prov_name,
                       info_->domain_attr->name != nullptr ? info_->domain_attr->name : "?",
                       info_->ep_attr->type == FI_EP_MSG ? "connected" : "connectionless",
                       limits_.keepsOrder ? "" : ", unordered");
}

std::string OfiQueue::statusText(const Completion& failed) const {
    return fmt::format("{} ({})", ofiErrorText(failed.status), failed.status);
}

OfiQueue::Operation& OfiQueue::add() {
    Operation& operation = requests_[tail_++ % kMaxSendDepth];
    operation = {};
    return operation;
}

bool OfiQueue::send(const PortSend& message) {
    Operation& operation = add();
    operation.bytes = const_cast<std::byte*>(message.bytes.data());
    operation.count = message.bytes.size();
    operation.descriptor = reinterpret_cast<void*>(message.localHandle);
    operation.workId = message.workId;
    return flush();
}

bool OfiQueue::write(std::span<const PortWrite> chain) {
    for (const PortWrite& write : chain) {
        Operation& operation = add();
        operation.isWrite = true;
        operation.hasImmediate = write.hasImmediate;
        operation.bytes = reinterpret_cast<std::byte*>(write.fromAddress);
        operation.count = write.bytes;
        operation.descriptor = reinterpret_cast<void*>(write.localHandle);
        operation.remoteAddress = write.remoteAddress;
        operation.remoteKey = write.remoteKey;
        operation.immediate = write.immediate;
        operation.workId = write.workId;
    }
    return flush();
}

bool OfiQueue::receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes,
                       std::uint64_t localHandle) {
    while (receives_.size() <= workId) {
        receives_.emplace_back();
        unposted_.reserve(receives_.size());
    }
    Operation& operation = receives_[workId];
    operation.isReceive = true;
    operation.bytes = into;
    operation.count = bytes;
    operation.descriptor = reinterpret_cast<void*>(localHandle);
    operation.workId = workId;
    unposted_.push_back(static_cast<std::uint32_t>(workId));
    return flush();
}

ssize_t OfiQueue::post(Operation& operation) {
    iovec local{operation.bytes, operation.count};
    if (!operation.isWrite) {
        fi_msg message{};
        message.msg_iov = &local;
        message.desc = &operation.descriptor;
        message.iov_count = 1;
        message.addr = peer_;
        message.context = &operation.context;
        return fi_sendmsg(endpoint_.get(), &message, FI_COMPLETION);
    }
    fi_rma_iov remote{operation.remoteAddress, operation.count, operation.remoteKey};
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.desc = &operation.descriptor;
    message.iov_count = 1;
    message.addr = peer_;
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &operation.context;
    message.data = operation.immediate;
    // If the notice must wait for the payload, having sent that is not enough: it must have arrived.
    const std::uint64_t flags = FI_COMPLETION | (operation.hasImmediate ? FI_REMOTE_CQ_DATA : 0) |
                                (limits_.keepsOrder ? 0 : FI_DELIVERY_COMPLETE);
    return fi_writemsg(endpoint_.get(), &message, flags);
}

ssize_t OfiQueue::postReceive(Operation& operation) {
    return fi_recv(endpoint_.get(), operation.bytes, operation.count, operation.descriptor, FI_ADDR_UNSPEC,
                   &operation.context);
}

bool OfiQueue::mayAskProvider() {
    if (guarded_ && head_ != tail_) {
        checkPeer();
        return failure_.empty();
    }
    return true;
}

/// Posts what the provider accepts now. False if it failed.
bool OfiQueue::flush() {
    if (!mayAskProvider()) {
        return false;
    }
    ssize_t result = 0;
    while (!unposted_.empty() && (result = postReceive(receives_[unposted_.back()])) == 0) {
        unposted_.pop_back();
    }
    while ((result == 0 || result == -FI_EAGAIN) && next_ != tail_) {
        result = post(requests_[next_ % kMaxSendDepth]);
        if (result != 0) {
            break;
        }
        ++next_;
    }
    if (result != 0 && result != -FI_EAGAIN) {
        setFailure(fmt::format("{} takes no requests: {} ({})", deviceName(),
                               ofiErrorText(static_cast<int>(-result)), -result));
    }
    return failure_.empty();
}

std::size_t OfiQueue::poll(std::span<Completion> completions) {
    // Reading the queue undoes what fi_trywait() prepared for sleeping.
    if (std::exchange(lookedByWaiting_, false)) {
        return 0;
    }
    if (next_ != tail_ || !unposted_.empty()) {
        flush();
    }
    if (!mayAskProvider()) {
        return 0;
    }
    std::array<fi_cq_data_entry, kPollBatch> entries;
    const ssize_t count =
        fi_cq_read(completions_.get(), entries.data(), std::min(completions.size(), entries.size()));
    if (count == -FI_EAVAIL) {
        completions[0] = readFailure();
        return 1;
    }
    if (count <= 0) {
        if (count != 0 && count != -FI_EAGAIN) {
            setFailure(fmt::format("the completion queue of {} failed: {}", deviceName(),
                                   ofiErrorText(static_cast<int>(-count))));
        }
        return 0;
    }
    nap_ = 0;
    std::size_t taken = 0;
    for (ssize_t at = 0; at < count; ++at) {
        taken += translate(entries[static_cast<std::size_t>(at)], completions[taken]) ? 1 : 0;
    }
    // Only requests that completed ahead of an earlier one: nothing to report yet, so look again.
    return taken > 0 ? taken : poll(completions);
}

/// False if there is nothing to report.
bool OfiQueue::translate(const fi_cq_data_entry& entry, Completion& completion) {
    completion = {};
    auto* operation = static_cast<Operation*>(entry.op_context);
    if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) {
        completion.kind = Completion::Kind::Immediate;
        completion.immediate = static_cast<std::uint32_t>(entry.data);
        completion.tookReceive = limits_.immediatesTakeReceives;
        completion.workId = completion.tookReceive ? operation->workId : 0;
        return true;
    }
    if (operation->isReceive) {
        completion.kind = Completion::Kind::Message;
        completion.bytes = static_cast<std::uint32_t>(entry.len);
        completion.workId = operation->workId;
        return true;
    }
    operation->done = true;
    bool retired = false;
    for (; head_ != next_ && requests_[head_ % kMaxSendDepth].done; ++head_) {
        completion.workId = requests_[head_ % kMaxSendDepth].workId;
        retired = true;
    }
    completion.kind = Completion::Kind::Sent;
    return retired;
}

Completion OfiQueue::readFailure() {
    fi_cq_err_entry error{};
    Completion completion;
    completion.kind = Completion::Kind::Failed;
    completion.status = fi_cq_readerr(completions_.get(), &error, 0) > 0 ? error.err : FI_EIO;
    completion.flushed = completion.status == FI_ECANCELED || completion.status == FI_ENOTCONN ||
                         completion.status == FI_ECONNRESET || completion.status == FI_ESHUTDOWN ||
                         completion.status == FI_ECONNABORTED || completion.status == EPIPE;
    return completion;
}

bool OfiQueue::arm() {
    if (!flush()) {
        return false;
    }
    if (timer_) {
        nap_ = nap_ == 0 ? kMinNap : std::min(2 * nap_, kMaxNap);
        return timer_->set(nowNs() + nap_);
    }
    const int result = fi_trywait(fabric(), waited_.data(), static_cast<int>(waited_.size()));
    if (result != 0 && result != -FI_EAGAIN) {
        setFailure(fmt::format("{} cannot wait: {}", deviceName(), ofiErrorText(-result)));
    }
    lookedByWaiting_ = result == 0;
    return lookedByWaiting_;
}

}  // namespace verbcast
