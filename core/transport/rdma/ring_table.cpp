#include "core/transport/rdma/ring_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/transport/path_checks.h"

namespace verbcast {

RingTable::Ring RingTable::registerRing(PortDomain& domain, RingId id, std::shared_ptr<FramePool> pool) {
    auto payload = domain.registerMemory(pool->memory()->bytes(), MemoryUse::RemoteWrite);
    RegisteredBuffer infos(domain, pool->slotCount() * kFrameRecordBytes, MemoryUse::RemoteWrite);
    return Ring{id, std::move(pool), std::move(payload), std::move(infos)};
}

void RingTable::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    if (port_.sharesDomain()) {
        throw Error(ErrorKind::Internal, "a connection made with sendsFrames cannot be a sink");
    }
    requireOfferable(ring, newest_);
    if (!pool->memory()->writable()) {
        throw Error(ErrorKind::Internal, "a ring is offered that nobody may write");
    }
    newest_ = ring;
    const auto domain = port_.domain();
    if (tasks_.empty() && pool->memory()->bytes().size() <= kRegisterAtOnceBytes) {
        use(registerRing(*domain, ring, std::move(pool)));
        return;
    }
    registering_.push_back(ring);
    tasks_.start([this, domain, ring, pool = std::move(pool)] {
        auto made = std::make_shared<Ring>(registerRing(*domain, ring, pool));
        return [this, made] {
            if (std::erase(registering_, made->id) > 0) {
                use(std::move(*made));
            }
        };
    });
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
    const Ring& ring = rings_.back();
    const RegisteredMemory& infos = ring.infos.registration();
    const auto offer = encodeOffer({.payloadAddress = ring.payload->remoteAddress,
                                    .payloadKey = ring.payload->remoteKey,
                                    .infoAddress = infos.remoteAddress,
                                    .infoKey = infos.remoteKey});
    if (handler_ != nullptr) {
        handler_->onOfferReady(ring.id, offer);
    }
}

void RingTable::retire(RingId ring) {
    std::erase(registering_, ring);
    const auto found = std::ranges::find(rings_, ring, &Ring::id);
    if (found == rings_.end()) {
        return;
    }
    found->payload.reset();
    found->infos.revoke();
    if (!port_.limits().revokesAtOnce) {
        leaving_.push_back({std::move(found->pool), std::move(found->infos)});
    }
    rings_.erase(found);
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

// A write that had begun when its ring was retired comes before whatever the peer says later. So: first
// everything is read that may have been said before, then the next word shows that the write has ended.
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

void RingTable::drop() {
    registering_.clear();
    rings_.clear();
    leaving_.clear();
}

}  // namespace verbcast
