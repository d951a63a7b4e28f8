// Control path: creating and describing a queue. The rest is in ofi_queue_datapath.cpp.
#include "core/transport/rdma/ofi/ofi_queue.h"

#include <fmt/format.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>

#include "core/transport/rdma/epoll_set.h"
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

}  // namespace

OfiQueue::OfiQueue(const SharedFabric& fabric, const fi_info& info, bool onlySends)
    : info_(fi_dupinfo(&info)), onlySends_(onlySends) {
    if (!info_) {
        throwErrno(ErrorKind::Resource, "fi_dupinfo", "a queue", ENOMEM);
    }
    domain_ = OfiDomain::forQueue(fabric, *info_, onlySends);
    portDomain_ = domain_;
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
    timer_ = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!timer_) {
        throwErrno(ErrorKind::Resource, "timerfd_create", deviceName(), errno, kRaiseFileLimit);
    }
    wait_ = timer_.get();
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

std::vector<int> OfiQueue::descriptors() const {
    return {wait_};
}

std::string OfiQueue::statusText(const Completion& failed) const {
    return fmt::format("{} ({})", ofiErrorText(failed.status), failed.status);
}

}  // namespace verbcast
