// Per frame: a record of 12 bytes and as much of FrameInfo as it uses. See shm_channel.cpp.
#include "core/transport/shm/shm_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/transport/path_checks.h"
#include "core/transport/shm/shm_channel.h"

namespace verbcast::shm {
namespace {

/// After the kind of a Frame record; the first frameInfoBytes() of FrameInfo follow.
struct FrameHead {
    std::uint32_t ring;
    std::uint32_t slot;
    std::uint32_t reserved;
};
static_assert(sizeof(FrameHead) == 12);

UniqueFd duplicateOf(const UniqueFd& descriptor) {
    const int copy = ::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        throwErrno(ErrorKind::Resource, "fcntl", "the lifeline of a ring", errno, kRaiseFileLimit);
    }
    return UniqueFd(copy);
}

}  // namespace

Import ShmPath::import(const std::shared_ptr<const Memory>& memory) {
    if (const DeviceMemory* device = memory->device()) {
        return Import::needsCopy("the memory of " + device->deviceName() +
                                 " is not shared between processes");
    }
    return memory->descriptor() < 0
               ? Import::needsCopy("a part of a file cannot be handed to another process for reading")
               : Import{};
}

void ShmPath::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    requireOfferable(ring, offered_);
    if (pool->memory()->descriptor() < 0) {
        throw Error(ErrorKind::Internal, "a ring is offered that has no descriptor");
    }
    offered_ = ring;
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throwErrno(ErrorKind::Resource, "socketpair", "the lifeline of a ring", errno, kRaiseFileLimit);
    }
    UniqueFd kept(ends[1]);
    std::vector<UniqueFd> passed;
    passed.emplace_back(ends[0]);
    for (const UniqueFd& lifeline : pool->lifelines()) {
        if (passed.size() < kMaxLifelines) {
            passed.push_back(duplicateOf(lifeline));
        }
    }
    channel_.passMemory(ring, pool->memory(), std::move(passed));
    rings_.push_back({ring, std::move(pool), std::move(kept)});
    handler_->onOfferReady(ring, {});
}

std::shared_ptr<FramePool> ShmPath::accept(RingId ring, const RingShape& shape,
                                           std::span<const std::byte> offer) {
    requireAcceptable(ring, accepted_, shape);
    PassedMemory passed = channel_.takeMemory(ring);
    if (!offer.empty() || !passed.memory) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers ring {} without its memory", ring));
    }
    auto pool = FramePool::mapPeer(std::move(passed.memory), shape.slotBytes, shape.slotCount,
                                   std::move(passed.lifelines));
    accepted_ = ring;
    return pool;
}

UniqueFd ShmPath::takeLifeline(RingId ring) {
    const auto found = std::ranges::find(rings_, ring, &Ring::id);
    return found == rings_.end() ? UniqueFd() : std::move(found->lifeline);
}

Status ShmPath::send(const OutgoingFrame& frame) {
    const auto ring = std::ranges::find(rings_, frame.ring, &Ring::id);
    const std::uint64_t bytes = requireSendable(frame, ring != rings_.end() && ring->pool == frame.pool);
    const FrameHead head{frame.ring, frame.localSlot, 0};
    const Status sent =
        channel_.sendRecord(RecordKind::Frame, std::as_bytes(std::span(&head, 1)),
                            std::as_bytes(std::span(&frame.info, 1)).first(frameInfoBytes(frame.info)));
    payloadBytes_ += sent == Status::Ok ? bytes : 0;
    return sent;
}

void ShmPath::handleRecord(std::span<const std::byte> body) {
    FrameHead head{};
    if (body.size() < sizeof head + kFrameInfoHeadBytes || body.size() > sizeof head + kFrameInfoBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer names a frame in {} bytes", body.size()));
    }
    std::memcpy(&head, body.data(), sizeof head);
    const FrameInfo info = frameInfoFrom(body.subspan(sizeof head));
    if (info.rectCount > kMaxFrameRects || body.size() != sizeof head + frameInfoBytes(info)) {
        throw Error(ErrorKind::Peer, fmt::format("the peer names a frame in {} bytes with {} rectangles",
                                                 body.size(), info.rectCount));
    }
    payloadBytes_ += info.payloadBytes;
    handler_->onFrame(head.ring, head.slot, info);
}

}  // namespace verbcast::shm
