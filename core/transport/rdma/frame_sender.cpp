// Control path: where frames come from and go to. The rest is frame_sender_datapath.cpp.
#include "core/transport/rdma/frame_sender.h"

#include "core/transport/path_checks.h"

namespace verbcast {

FrameSender::FrameSender(QueuePort& port, SendQueue& queue, const MessageCredits& credits,
                         BackgroundTasks& tasks, const FrameSenderOptions& options)
    : port_(port),
      queue_(queue),
      credits_(credits),
      tasks_(tasks),
      immediates_(options.immediates),
      window_(options.chunkBytes),
      notices_(*port.domain(), kFramesInFlight * sizeof(FrameNoticeMessage), MemoryUse::LocalRead) {}

void FrameSender::setSource(std::shared_ptr<FramePool> pool) {
    const auto domain = port_.domain();
    if (const std::string reason = domain->cannotSendFrom(*pool->memory()); !reason.empty()) {
        throw Error(ErrorKind::Resource, "frames cannot be sent from this memory: " + reason);
    }
    SourceRegistration registration = domain->sources().find(*pool->memory());
    if (!registration && pool->memory()->bytes().size() <= kRegisterAtOnceBytes) {
        registration = domain->sources().registerSource(pool->memory());
    }
    source_ = {pool, registration};
    if (registration) {
        return;
    }
    tasks_.start([this, domain, pool = std::move(pool)] {
        Source source{pool, domain->sources().registerSource(pool->memory())};
        return [this, source] { useSource(source); };
    });
}

/// Frames of that pool may have been given to us already.
void FrameSender::useSource(const Source& source) {
    if (source_.pool == source.pool) {
        source_.registration = source.registration;
    }
    for (FrameInFlight& frame : frames_) {
        if (frame.source.pool == source.pool) {
            frame.source.registration = source.registration;
        }
    }
}

void FrameSender::accept(RingId ring, const RingShape& shape, std::span<const std::byte> offer) {
    requireAcceptable(ring, target_ ? std::optional(target_->ring) : std::nullopt, shape);
    const RingOffer decoded = decodeOffer(shape, offer);
    target_ = {ring, shape, decoded};
}

void FrameSender::drop() {
    for (FrameInFlight& frame : frames_) {
        frame.source = {};
    }
    source_ = {};
}

}  // namespace verbcast
