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

void FrameSender::prepare(const std::shared_ptr<FramePool>& pool) {
    const auto domain = port_.domain();
    if (const std::string reason = domain->cannotSendFrom(*pool->memory()); !reason.empty()) {
        throw Error(ErrorKind::Resource, "frames cannot be sent from this memory: " + reason);
    }
    std::erase_if(sources_, [&](const Source& source) { return source.pool.expired() || source.of(pool); });
    SourceRegistration registration = domain->sources().find(*pool->memory());
    if (!registration && pool->memory()->size() <= kRegisterAtOnceBytes) {
        registration = domain->sources().registerSource(pool->memory());
    }
    sources_.push_back({pool, registration});
    if (registration) {
        return;
    }
    tasks_.start([this, domain, pool] {
        auto made = domain->sources().registerSource(pool->memory());
        return [this, pool, made] { use(pool, made); };
    });
}

/// We may already hold frames from that pool.
void FrameSender::use(const std::shared_ptr<FramePool>& pool, const SourceRegistration& registration) {
    for (Source& source : sources_) {
        if (source.of(pool)) {
            source.registration = registration;
        }
    }
    for (FrameInFlight& frame : frames_) {
        if (frame.pool == pool) {
            frame.registration = registration;
        }
    }
}

void FrameSender::accept(RingId ring, const RingShape& shape, std::span<const std::byte> offer) {
    requireAcceptable(ring, newest_, shape);
    const RingOffer decoded = decodeOffer(shape, offer);
    newest_ = ring;
    targets_.push_back({ring, shape, decoded});
}

void FrameSender::forget(RingId ring) {
    std::erase_if(targets_, [=](const Target& target) { return target.ring == ring; });
}

void FrameSender::drop() {
    for (FrameInFlight& frame : frames_) {
        frame.pool.reset();
        frame.registration.reset();
    }
    sources_.clear();
}

}  // namespace verbcast
