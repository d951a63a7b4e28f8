// The hub for viewers by RDMA, beside that for viewers by UDP: opens it, and opens it again once it has
// failed.
#include <fmt/format.h>

#include <utility>

#include "core/base/log/log.h"
#include "core/multicast/group_hub.h"

namespace verbcast {
namespace {

// After a failure: joining takes seconds if nobody answers.
constexpr std::chrono::nanoseconds kReopenEvery = std::chrono::seconds(5);

}  // namespace

std::shared_ptr<GroupHub> GroupHub::newRdma() const {
    auto made = std::make_shared<GroupHub>(options_, open_(options_.address, interface_, options_.ttl));
    made->pace_.shareLink(pace_);
    return made;
}

/// Call before there is a viewer.
void GroupHub::openRdma() {
    const multicast::GroupAddress& address = options_.address;
    std::shared_ptr<GroupHub> made;
    std::string whyNot;
    if (address.via == multicast::Via::Udp) {
        whyNot = "the sender's address says via=udp";
    } else {
        try {
            made = newRdma();
        } catch (const Error& error) {
            whyNot = error.what();
            if (address.via == multicast::Via::Rdma) {
                throw Error(error.kind(),
                            fmt::format("multicast by RDMA (via=rdma) to {}: {}", address.text(), whyNot),
                            "leave out via=rdma, or see \"verbcast devices\" for interfaces of RDMA devices");
            }
        }
    }
    if (!made) {
        log(LogCategory::Stream).info("multicast: {} not by RDMA: {}", address.text(), whyNot);
    }
    const std::lock_guard lock(mutex_);
    rdma_ = std::move(made);
    whyNotRdma_ = std::move(whyNot);
}

/// Reopens a failed hub: a port that was down, a replaced device and a restarted subnet manager all come
/// back. For our thread only.
void GroupHub::keepRdma(TimestampNs now) {
    if (reopening_.anyDone()) {
        try {
            reopening_.finish();
        } catch (const std::exception& error) {
            log(LogCategory::Stream)
                .debug("multicast: {} not yet by RDMA again: {}", options_.address.text(), error.what());
        }
    }
    const auto before = rdma();
    if (!before || !before->failed() || !reopening_.empty() || now - reopenedAt_ < kReopenEvery.count()) {
        return;
    }
    reopenedAt_ = now;
    try {
        reopening_.start([this]() -> BackgroundTasks::Use {
            return [this, made = newRdma()] {
                const std::lock_guard lock(mutex_);
                addCounts(pastRdma_, rdma_->stats());
                rdma_ = made;
            };
        });
    } catch (const Error&) {
        // No thread available now.
    }
}

std::shared_ptr<GroupHub> GroupHub::rdma() const {
    const std::lock_guard lock(mutex_);
    return rdma_;
}

GroupHub::ByRdma GroupHub::byRdma() const {
    ByRdma made{.hub = rdma()};
    made.offer.required = options_.address.via == multicast::Via::Rdma;
    if (!made.hub) {
        const std::lock_guard lock(mutex_);
        made.offer.refusal = whyNotRdma_;
    } else if (made.hub->failed()) {
        made.offer.refusal = made.hub->failure();
        made.hub.reset();
    } else {
        made.offer.stream = made.hub->stream_;
        made.offer.group = made.hub->groupId_;
        made.offer.source = made.hub->origin_.address;
        made.offer.sourceQueue = made.hub->origin_.number;
        made.offer.chunkBytes = made.hub->chunkBytes_;
    }
    return made;
}

}  // namespace verbcast
