#include "core/multicast/rdma_hub.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

// After a failure: joining takes seconds if nobody answers.
constexpr std::chrono::nanoseconds kReopenEvery = std::chrono::seconds(5);

}  // namespace

RdmaHub::RdmaHub(const GroupOptions& options, const multicast::GroupInterface& interface,
                 GroupHub::OpenRdma open, const GroupPace& beside)
    : options_(options), interface_(interface), open_(std::move(open)), beside_(beside) {
    const multicast::GroupAddress& address = options_.address;
    if (address.via == multicast::Via::Udp) {
        whyNot_ = "the sender's address says via=udp";
    } else {
        try {
            hub_ = make();
            return;
        } catch (const Error& error) {
            whyNot_ = error.what();
            if (address.via == multicast::Via::Rdma) {
                throw Error(error.kind(),
                            fmt::format("multicast by RDMA (via=rdma) to {}: {}", address.text(), whyNot_),
                            "leave out via=rdma, or see \"verbcast devices\" for interfaces of RDMA devices");
            }
        }
    }
    log(LogCategory::Stream).info("multicast: {} not by RDMA: {}", address.text(), whyNot_);
}

std::shared_ptr<GroupHub> RdmaHub::make() const {
    return std::make_shared<GroupHub>(options_, open_(options_.address, interface_, options_.address.ttl),
                                      beside_);
}

GroupStats RdmaHub::stats() const {
    const std::lock_guard lock(mutex_);
    GroupStats stats = past_;
    if (hub_) {
        addCounts(stats, hub_->stats());
    }
    stats.rdmaFrames = stats.frames;
    stats.rdmaDatagrams = stats.datagrams;
    return stats;
}

void RdmaHub::keep(TimestampNs now) {
    if (reopening_.anyDone()) {
        try {
            reopening_.finish();
        } catch (const std::exception& error) {
            log(LogCategory::Stream)
                .debug("multicast: {} not yet by RDMA again: {}", options_.address.text(), error.what());
        }
    }
    const auto before = hub();
    if (!before || !before->failed() || !reopening_.empty() || now - reopenedAt_ < kReopenEvery.count()) {
        return;
    }
    reopenedAt_ = now;
    try {
        reopening_.start([this]() -> BackgroundTasks::Use {
            return [this, made = make()] {
                const std::lock_guard lock(mutex_);
                addCounts(past_, hub_->stats());
                hub_ = made;
            };
        });
    } catch (const Error&) {
        // No thread available now.
    }
}

std::shared_ptr<GroupHub> RdmaHub::hub() const {
    const std::lock_guard lock(mutex_);
    return hub_;
}

GroupHub::ByRdma RdmaHub::offer() const {
    GroupHub::ByRdma made{.hub = hub()};
    made.offer.required = options_.address.via == multicast::Via::Rdma;
    made.offer.refusal = made.hub ? made.hub->failure() : whyNot_;
    if (!made.offer.refusal.value.empty()) {
        made.hub.reset();
    } else {
        made.hub->nameIn(made.offer);
    }
    return made;
}

}  // namespace verbcast
