#include "core/transport/rdma/ring_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/transport/path_checks.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kWindowsOfRing = 2;  // payload and infos

/// All of it, as requests address it: nobody dereferences a device's address here.
std::span<std::byte> placeOf(const Memory& memory) {
    if (const DeviceMemory* device = memory.device()) {
        return {reinterpret_cast<std::byte*>(static_cast<std::uint64_t>(device->address())), device->size()};
    }
    return memory.bytes();
}

std::unique_ptr<RegisteredMemory> registerPayload(PortDomain& domain, const Memory& memory) {
    const DeviceMemory* device = memory.device();
    if (device == nullptr) {
        return domain.registerMemory(memory.bytes(), MemoryUse::RemoteWrite);
    }
    if (const std::string problem = device->remoteWritesProblem(); !problem.empty()) {
        throw Error(ErrorKind::Resource, fmt::format("{}: {}", device->deviceName(), problem));
    }
    return domain.registerDevice(*device, MemoryUse::RemoteWrite);
}

}  // namespace

RingTable::Ring RingTable::registerRing(PortDomain& domain, RingId id, std::shared_ptr<FramePool> pool) {
    auto payload = registerPayload(domain, *pool->memory());
    RegisteredBuffer infos(domain, pool->slotCount() * kFrameRecordBytes, MemoryUse::RemoteWrite);
    return Ring{.id = id, .pool = std::move(pool), .payload = std::move(payload), .infos = std::move(infos)};
}

void RingTable::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    if (port_.sharesDomain()) {
        throw Error(ErrorKind::Internal, "a connection made with sendsFrames cannot be a sink");
    }
    requireOfferable(ring, newest_);
    if (!pool->memory()->writable() && pool->memory()->device() == nullptr) {
        throw Error(ErrorKind::Internal, "a ring is offered that nobody may write");
    }
    newest_ = ring;
    registering_.push_back(ring);
    const bool atOnce = tasks_.empty() && pool->memory()->size() <= kRegisterAtOnceBytes;
    auto work = [this, domain = port_.domain(), ring, pool = std::move(pool)]() -> BackgroundTasks::Use {
        std::shared_ptr<Ring> made;
        std::string problem;
        try {
            made = std::make_shared<Ring>(registerRing(*domain, ring, pool));
        } catch (const Error& error) {
            if (pool->memory()->device() == nullptr) {
                throw;
            }
            problem = error.what();
        }
        return [this, ring, made, problem] {
            if (std::erase(registering_, ring) == 0) {
                return;  // retired meanwhile
            }
            made ? use(std::move(*made)) : handler_->onOfferRefused(ring, problem);
        };
    };
    if (atOnce) {
        const BackgroundTasks::Use finish = work();
        finish();
    } else {
        tasks_.start(std::move(work));
    }
}

void RingTable::use(Ring added) {
    rings_.push_back(std::move(added));
    if (noticesTakeReceives_) {
        std::uint32_t slots = 0;
        for (const Ring& ring : rings_) {
            slots += ring.pool->slotCount();
        }
        receives_.makeRoomFor(slots);
    }
    openRings();
}

/// Rings that do not fit now are opened once requests have completed.
void RingTable::openRings() {
    const auto next = [this] { return std::ranges::find(rings_, false, &Ring::open); };
    for (auto ring = next(); ring != rings_.end() && queue_.room() > kRoomForControl + kWindowsOfRing;
         ring = next()) {
        open(*ring);
        const auto offer = encodeOffer({.payloadAddress = ring->payload->remoteAddress,
                                        .payloadKey = ring->payloadKey,
                                        .infoAddress = ring->infos.registration().remoteAddress,
                                        .infoKey = ring->infoKey});
        handler_->onOfferReady(ring->id, offer);
    }
}

void RingTable::open(Ring& ring) {
    const RegisteredMemory& infos = ring.infos.registration();
    ring.open = true;
    ring.payloadKey = ring.payload->remoteKey;
    ring.infoKey = infos.remoteKey;
    if (ring.payload->needsWindow) {
        ring.payloadKey = queue_.openWindow(*ring.payload, placeOf(*ring.pool->memory()));
    }
    if (infos.needsWindow) {
        ring.infoKey =
            queue_.openWindow(infos, {ring.infos.data(), ring.pool->slotCount() * kFrameRecordBytes});
    }
    ring.opening = ring.payload->needsWindow || infos.needsWindow;
    ring.openedBy = queue_.posted();
}

void RingTable::close(Ring& ring) {
    if (ring.payload->needsWindow) {
        port_.closeWindow(ring.payloadKey);
    }
    if (ring.infos.registration().needsWindow) {
        port_.closeWindow(ring.infoKey);
    }
    ring.payload.reset();
    ring.infos.revoke();
    if (!port_.limits().revokesAtOnce) {
        leaving_.push_back({std::move(ring.pool), std::move(ring.infos)});
    }
}

void RingTable::retire(RingId ring) {
    std::erase(registering_, ring);
    const auto found = std::ranges::find(rings_, ring, &Ring::id);
    if (found == rings_.end()) {
        return;
    }
    if (found->opening) {
        closing_.push_back(std::move(*found));  // binding a window that is gone would end the connection
    } else {
        close(*found);
    }
    rings_.erase(found);
}

void RingTable::requestsRetired() {
    for (Ring& ring : rings_) {
        ring.opening = ring.opening && !queue_.isRetired(ring.openedBy);
    }
    std::erase_if(closing_, [this](Ring& ring) {
        const bool opened = queue_.isRetired(ring.openedBy);
        if (opened) {
            close(ring);
        }
        return opened;
    });
    openRings();
}

FrameRecord RingTable::arrived(RingId ring, std::uint32_t slot, const FrameRecord* notice) const {
    const auto found = std::ranges::find(rings_, ring, &Ring::id);
    if (found == rings_.end() || slot >= found->pool->slotCount()) {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer wrote into slot {} of ring {}, which it was not given", slot, ring));
    }
    FrameRecord record =
        notice != nullptr ? *notice : copyFrameRecord(found->infos.data() + slot * kFrameRecordBytes);
    record.bytes = std::min(record.bytes, found->pool->slotBytes());
    return record;
}

// A write in progress when its ring was retired precedes whatever the peer says later. So first everything is
// read that may have been said before; then the next message shows that the write has ended.
void RingTable::queueWasEmpty() {
    for (Leaving& ring : leaving_) {
        ring.oldNewsRead = true;
    }
}

void RingTable::peerSpoke() {
    while (!leaving_.empty() && leaving_.front().oldNewsRead) {
        leaving_.pop_front();
    }
}

}  // namespace verbcast
