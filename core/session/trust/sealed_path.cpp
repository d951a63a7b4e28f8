// Per frame: one pass of AES-256-GCM at each end, no allocation.
#include "core/session/trust/sealed_path.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "core/transport/path_checks.h"

namespace verbcast {
namespace {

// One is on its way while the next is being sealed.
constexpr std::uint32_t kOutgoingSlots = 2;

Side otherSide(Side side) {
    return side == Side::Connecting ? Side::Listening : Side::Connecting;
}

/// CPU time: what others do on a busy machine says nothing about the cipher.
std::uint64_t threadCpuNs() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::shared_ptr<FramePool> poolOfSealed(std::uint64_t slotBytes, std::uint32_t slotCount) {
    return FramePool::create({.slotBytes = sealedBytes(slotBytes), .slotCount = slotCount});
}

}  // namespace

SealedPath::SealedPath(std::shared_ptr<FramePath> inside, const FrameKeys& keys, Side own)
    : PathStage(std::move(inside)), sealer_(keys, own), opener_(keys, otherSide(own)) {}

SealedPath::Ring* SealedPath::find(RingId ring) {
    const auto found = std::ranges::find(rings_, ring, &Ring::id);
    return found == rings_.end() ? nullptr : &*found;
}

std::optional<Import> SealedPath::reaches(const Memory& memory) const {
    if (memory.bytes().empty()) {
        return Import::needsCopy("to encrypt, the processor must reach the memory");
    }
    return memory.kind() == MemoryKind::File ? Import::needsCopy("a part of a file is encrypted from a copy")
                                             : Import{};
}

void SealedPath::prepare(const std::shared_ptr<FramePool>& pool) {
    const std::uint64_t needed = sealedBytes(pool->slotBytes());
    if (!sharesMemory() && (!outgoing_ || outgoing_->slotBytes() < needed)) {
        outgoing_ = poolOfSealed(pool->slotBytes(), kOutgoingSlots);
        PathStage::prepare(outgoing_);
    }
}

void SealedPath::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    if (!reachesRing(ring, *pool, *this)) {
        return;
    }
    auto sealed = poolOfSealed(pool->slotBytes(), pool->slotCount());
    std::erase_if(rings_, [](const Ring& old) { return old.clear.expired(); });
    rings_.push_back({ring, pool, sealed});
    if (sharesMemory()) {
        PathStage::prepare(sealed);
    }
    PathStage::offer(ring, std::move(sealed));
}

void SealedPath::retire(RingId ring) {
    std::erase_if(rings_, [ring](const Ring& old) { return old.id == ring; });
    PathStage::retire(ring);
}

void SealedPath::forget(RingId ring) {
    std::erase_if(rings_, [ring](const Ring& old) { return old.id == ring; });
    PathStage::forget(ring);
}

std::shared_ptr<FramePool> SealedPath::accept(RingId ring, const RingShape& shape,
                                              std::span<const std::byte> offer) {
    requireAcceptable(ring, std::nullopt, shape);
    if (shape.slotBytes > 1ULL << 40) {
        throw peerError("the peer offers slots of {} bytes", shape.slotBytes);
    }
    auto sealed =
        PathStage::accept(ring, {slotBytesFor(sealedBytes(shape.slotBytes)), shape.slotCount}, offer);
    if (!sealed) {
        return nullptr;
    }
    auto clear = FramePool::create({.slotBytes = shape.slotBytes, .slotCount = shape.slotCount});
    clear->slots().takeFree([](std::uint32_t) {});
    std::erase_if(rings_, [](const Ring& old) { return old.clear.expired(); });
    rings_.push_back({ring, clear, std::move(sealed)});
    return clear;
}

std::uint64_t SealedPath::ownRingBytes(const RingShape& shape) const {
    constexpr std::uint64_t kMax = 1ULL << 40;  // of a slot: the limit, whatever a peer says
    const std::uint64_t slot = std::min(shape.slotBytes, kMax);
    return (sharesMemory() ? slot : slotBytesFor(sealedBytes(slot))) * shape.slotCount;
}

Status SealedPath::send(const OutgoingFrame& frame) {
    if (sharesMemory()) {
        const Ring* ring = find(frame.ring);
        if (ring == nullptr || ring->clear.lock() != frame.pool) {
            throw Error(ErrorKind::Internal,
                        fmt::format("a frame for ring {}, which was not offered", frame.ring));
        }
        return sendSealed(frame, ring->sealed, frame.localSlot);
    }
    auto lease = outgoing_ ? outgoing_->tryAcquire() : std::nullopt;
    if (!lease) {
        return Status::Busy;
    }
    const Status status = sendSealed(frame, outgoing_, lease->slot());
    if (status == Status::Ok) {
        leaving_.push({std::move(*lease), frame.localSlot});
    }
    return status;
}

Status SealedPath::sendSealed(const OutgoingFrame& frame, const std::shared_ptr<FramePool>& pool,
                              std::uint32_t slot) {
    const std::uint64_t start = threadCpuNs();
    OutgoingFrame sealed;
    sealed.pool = pool;
    sealed.localSlot = slot;
    sealed.ring = frame.ring;
    sealed.remoteSlot = frame.remoteSlot;
    sealed.info.payloadBytes =
        sealer_.seal(frame, frame.pool->slotData(frame.localSlot), pool->slotData(slot));
    work_.nanoseconds += threadCpuNs() - start;
    work_.bytes = sealer_.payloadBytes() + opener_.payloadBytes();
    return PathStage::send(sealed);
}

FrameTarget SealedPath::beginFrame(RingId id, std::uint32_t slot, const FrameInfo& info) {
    const Ring* ring = find(id);
    const auto clear = ring != nullptr ? ring->clear.lock() : nullptr;
    if (!clear || info.payloadBytes > ring->sealed->slotBytes()) {
        throw peerError("the peer sends {} bytes into ring {}, which cannot take them", info.payloadBytes,
                        id);
    }
    FrameInfo opened;  // the rest is known once it has arrived; its largest size is known now
    opened.payloadBytes = clear->slotBytes();
    static_cast<void>(PathStage::beginFrame(id, slot, opened));
    return {ring->sealed, slot};
}

void SealedPath::onFrame(RingId id, std::uint32_t slot, const FrameInfo& info) {
    const Ring* ring = find(id);
    const auto clear = ring != nullptr ? ring->clear.lock() : nullptr;
    if (!clear || !clear->slots().isTaken(slot) || info.payloadBytes > ring->sealed->slotBytes()) {
        throw peerError("the peer sent slot {} of ring {}, which it was not given", slot, id);
    }
    FrameTarget target;
    FrameInfo opened;
    if (!sharesMemory()) {
        opened.payloadBytes = clear->slotBytes();  // as in beginFrame()
        target = PathStage::beginFrame(id, slot, opened);
    }
    const std::uint64_t start = threadCpuNs();
    try {
        opened = opener_.open({ring->sealed->slotData(slot), info.payloadBytes}, id, slot,
                              {clear->slotData(slot), clear->slotBytes()}, target.within);
    } catch (const Error&) {
        ++work_.refused;
        throw;
    }
    work_.nanoseconds += threadCpuNs() - start;
    work_.bytes = sealer_.payloadBytes() + opener_.payloadBytes();
    PathStage::onFrame(id, slot, opened);
}

void SealedPath::onFrameSent(std::uint32_t localSlot) {
    if (leaving_.empty() || leaving_.front().sealed.slot() != localSlot) {
        throw Error(ErrorKind::Internal, "a transport that sends frames out of order");
    }
    const Leaving left = leaving_.pop();
    PathStage::onFrameSent(left.localSlot);
}

}  // namespace verbcast
