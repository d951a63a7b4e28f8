// The pools of a verbs channel: registering them without keeping the peer waiting, and announcing those of a
// sink.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/log.h"
#include "core/transport/verbs/verbs_channel.h"

namespace verbcast {
namespace {

// Registering makes the kernel clear and lock each page: 0.3 s per GiB, and much more on emulation. Meanwhile
// the peer must hear from us, or it takes us for dead. Pools up to this size are not worth a thread.
constexpr std::uint64_t kRegisterAtOnceBytes = 16U << 20;

}  // namespace

// Kernels before 6.2 register no memory that may not be written (EFAULT), some file systems none of theirs,
// and how much a user may lock is limited.
bool VerbsChannel::takesReadOnly(const std::shared_ptr<FramePool>& pool) {
    try {
        endpoint_->domain()->registerSource(pool);
        return true;
    } catch (const Error& error) {
        log().debug("a mapped file is read, not sent from where it lies: {}", error.what());
        return false;
    }
}

void VerbsChannel::setSourcePool(std::uint32_t, std::shared_ptr<FramePool> pool) {
    if (closed_) {
        return;
    }
    const auto& domain = endpoint_->domain();
    SourceRegistration registration = domain->findSource(*pool);
    if (!registration && pool->memory().size() <= kRegisterAtOnceBytes) {
        registration = domain->registerSource(pool);
    }
    sourcePool_ = {pool, registration};
    if (registration) {
        return;
    }
    registerInBackground([this, domain, pool = std::move(pool)] {
        SourcePool source{pool, domain->registerSource(pool)};
        return [this, source] { useSource(source); };
    });
}

void VerbsChannel::setSinkPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) {
    if (closed_) {
        return;
    }
    if (endpoint_->sharesDomain()) {
        throw Error(ErrorKind::Internal, "a channel made with sendsFrames cannot be a sink");
    }
    const auto registerSink = [domain = endpoint_->domain()](std::uint32_t number,
                                                             std::shared_ptr<FramePool> memory) {
        constexpr auto kAccess = MemoryRegistration::Access::RemoteWrite;
        MemoryRegistration payload(domain->get(), memory->memory(), kAccess);
        RegisteredBuffer infos(domain->get(), memory->slotCount() * kFrameInfoBytes, kAccess);
        return SinkPool{number, std::move(memory), std::move(payload), std::move(infos)};
    };
    held_.push_back({MessageKind::Pool, false, {}});
    if (registrations_.empty() && pool->memory().size() <= kRegisterAtOnceBytes) {
        useSink(registerSink(generation, std::move(pool)));
        return;
    }
    registerInBackground([this, registerSink, generation, pool = std::move(pool)] {
        auto sink = std::make_shared<SinkPool>(registerSink(generation, pool));
        return [this, sink] { useSink(std::move(*sink)); };
    });
}

/// Runs `work` on a thread of its own; process() then calls what it gave, or throws what it threw.
void VerbsChannel::registerInBackground(std::function<std::function<void()>()> work) {
    Registration& registration = *registrations_.emplace_back(std::make_unique<Registration>());
    registration.thread = std::jthread([this, &registration, work = std::move(work)] {
        try {
            registration.use = work();
        } catch (...) {
            registration.failure = std::current_exception();
        }
        registration.done.store(true, std::memory_order_release);
        registered_.notify();
    });
}

void VerbsChannel::takeRegistrations() {
    registered_.clear();  // before looking: one that is done later notifies again
    while (!closed_ && registrationWaits()) {
        const auto registration = std::move(registrations_.front());
        registrations_.pop_front();
        if (registration->failure) {
            std::rethrow_exception(registration->failure);
        }
        registration->use();
    }
}

/// Frames of that pool may have been given to us already.
void VerbsChannel::useSource(const SourcePool& source) {
    if (sourcePool_.pool == source.pool) {
        sourcePool_.registration = source.registration;
    }
    for (FrameInFlight& frame : frames_) {
        if (frame.source.pool == source.pool && !frame.source.registration) {
            frame.useRegistration(source.registration);
        }
    }
}

void VerbsChannel::FrameInFlight::useRegistration(SourceRegistration registration) {
    source.registration = std::move(registration);
    localKey = source.registration->localKey();
    localAddress = source.registration->address() + localSlot * source.pool->slotBytes();
}

void VerbsChannel::useSink(SinkPool added) {
    if (closeRequested_) {
        return;
    }
    sinkPools_.push_back(std::move(added));
    std::uint32_t needed = kBaseReceives;
    for (const SinkPool& sink : sinkPools_) {
        needed += sink.pool->slotCount();
    }
    if (needed > endpoint_->receives()) {
        endpoint_->addReceives(needed - endpoint_->receives());
    }
    const SinkPool& sink = sinkPools_.back();
    const auto announcement =
        std::find_if(held_.begin(), held_.end(), [](const HeldMessage& held) { return !held.ready; });
    announcement->payload = encodePool({.generation = sink.generation,
                                        .slotCount = sink.pool->slotCount(),
                                        .slotBytes = sink.pool->slotBytes(),
                                        .poolAddress = sink.payload.address(),
                                        .poolKey = sink.payload.remoteKey(),
                                        .infoKey = sink.infos.remoteKey(),
                                        .infoAddress = sink.infos.address()});
    announcement->ready = true;
    flushControl();
}

void VerbsChannel::dropSinkPoolsBefore(std::uint32_t generation) {
    while (sinkPools_.front().generation != generation) {
        sinkPools_.pop_front();
    }
}

void VerbsChannel::handlePool(std::span<const std::byte> payload, ChannelHandler& handler) {
    const PoolAnnouncement pool = decodePool(payload);
    if (peerPool_ && pool.generation <= peerPool_->generation) {
        throw Error(ErrorKind::Peer, fmt::format("the peer announced pool generation {} after {}",
                                                 pool.generation, peerPool_->generation));
    }
    peerPool_ = pool;
    handler.onPeerSlots(pool.generation, pool.slotBytes, pool.slotCount);
}

}  // namespace verbcast
