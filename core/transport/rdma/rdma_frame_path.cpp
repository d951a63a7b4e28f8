#include "core/transport/rdma/rdma_frame_path.h"

#include "core/transport/rdma/source_cache.h"

namespace verbcast {
namespace {

/// The handler while a connection is being made or is ending.
class Nobody final : public FrameHandler {
  public:
    void onOfferReady(RingId, std::span<const std::byte>) override {}
    void onOfferRefused(RingId, const std::string&) override {}
    FrameTarget beginFrame(RingId, std::uint32_t, const FrameInfo&) override { return {}; }
    void onFrame(RingId, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override {}
};

FrameHandler* nobody() {
    static Nobody handler;
    return &handler;
}

}  // namespace

RdmaFramePath::RdmaFramePath(QueuePort& port, SendQueue& queue, const MessageCredits& credits,
                             ReceiveRing& receives, BackgroundTasks& tasks, const RdmaLinkState& state,
                             const FrameSenderOptions& options)
    : queue_(queue),
      state_(state),
      domain_(port.domain()),
      handler_(nobody()),
      sender_(port, queue, credits, tasks, options),
      rings_(port, queue, receives, tasks, !options.immediates || port.limits().immediatesTakeReceives) {
    rings_.setHandler(handler_);
}

void RdmaFramePath::setHandler(FrameHandler* handler) {
    handler_ = handler != nullptr ? handler : nobody();
    rings_.setHandler(handler_);
}

std::optional<Import> RdmaFramePath::reaches(const Memory& memory) const {
    if (std::string reason = domain_->cannotSendFrom(memory); !reason.empty()) {
        return Import::needsCopy(std::move(reason));
    }
    return domain_->sources().find(memory) ? std::optional(Import{}) : std::nullopt;
}

Import RdmaFramePath::import(const std::shared_ptr<const Memory>& memory) {
    if (auto known = reaches(*memory)) {
        return std::move(*known);
    }
    try {
        domain_->sources().registerSource(memory);
        return {};
    } catch (const Error& error) {
        return Import::needsCopy(error.what());
    }
}

std::uint64_t RdmaFramePath::frameArrived(RingId ring, std::uint32_t slot, const FrameRecord* notice) {
    const FrameRecord arrival = rings_.arrived(ring, slot, notice);
    bytesArrived_ += arrival.bytes;
    handler_->onFrame(ring, slot, arrival.info);
    return arrival.bytes + frameInfoBytes(arrival.info);
}

}  // namespace verbcast
