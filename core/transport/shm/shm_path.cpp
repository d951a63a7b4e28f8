// Per frame: a record of 12 bytes plus the part of FrameInfo in use. See shm_channel.cpp.
#include "core/transport/shm/shm_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/memory/same_owner.h"
#include "core/transport/path_checks.h"
#include "core/transport/shm/shm_channel.h"

namespace verbcast::shm {
namespace {

/// Follows the kind of a Frame record; the first frameInfoBytes() of FrameInfo come next.
struct FrameHead {
    std::uint32_t ring;
    std::uint32_t slot;
    std::uint32_t reserved;
};
static_assert(sizeof(FrameHead) == 12);

/// Contents of an offer for a ring in device memory.
struct DeviceOffer {
    std::uint64_t kind;
    std::uint64_t bytes;  ///< of the memory
};
constexpr std::uint64_t kDeviceRing = 0x56430301;
constexpr std::uint64_t kMaxDeviceBytes = 1ULL << 50;

/// Why the peer could not map it; "" if it can.
std::string problemOfSharing(const DeviceMemory& device, const std::string& peerDevice) {
    if (peerDevice.empty()) {
        return "the receiver does not take it there";
    }
    const std::string own = device.sharingId();
    if (!own.empty() && own != peerDevice) {
        return fmt::format("the receiver uses another device ({}, not {})", peerDevice, own);
    }
    return device.share().problem;
}

UniqueFd duplicateOf(const UniqueFd& descriptor) {
    const int copy = ::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        throwErrno(ErrorKind::Resource, "fcntl", "the peer-death socket of a ring", errno, kRaiseFileLimit);
    }
    return UniqueFd(copy);
}

}  // namespace

std::optional<Import> ShmPath::reaches(const Memory& memory) const {
    if (const DeviceMemory* device = memory.device()) {
        const std::string problem = problemOfSharing(*device, peerDevice_);
        return problem.empty() ? Import{}
                               : Import::needsCopy(fmt::format("the memory of {} is not shared between "
                                                               "processes: {}",
                                                               device->deviceName(), problem));
    }
    if (!memory.buffers().empty()) {
        if (memory.buffers().size() > kMaxBuffers) {
            return Import::needsCopy(
                fmt::format("{} buffers of a device are shared, more than the {} that go",
                            memory.buffers().size(), kMaxBuffers));
        }
        return channel_.peerIsSameUser()
                   ? Import{}
                   : Import::needsCopy("buffers of a device are shared with programs of the same user only");
    }
    return memory.descriptor() < 0
               ? Import::needsCopy(memory.kind() == MemoryKind::Lent
                                       ? "a program's own memory cannot be handed to another process"
                                       : "a part of a file cannot be handed to another process for reading")
               : Import{};
}

void ShmPath::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    requireOfferable(ring, offered_);
    const std::shared_ptr<const Memory>& memory = pool->memory();
    ExportedMemory shared;
    if (const DeviceMemory* device = memory->device()) {
        shared = device->share();
        if (!shared.descriptor) {
            throw Error(ErrorKind::Device, fmt::format("{}: {}", device->deviceName(), shared.problem));
        }
    } else if (memory->descriptor() < 0 && memory->buffers().empty()) {
        throw Error(ErrorKind::Internal, "a ring is offered that has no descriptor");
    }
    offered_ = ring;
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throwErrno(ErrorKind::Resource, "socketpair", "the peer-death socket of a ring", errno,
                   kRaiseFileLimit);
    }
    UniqueFd kept(ends[1]);
    std::vector<UniqueFd> passed;
    passed.emplace_back(ends[0]);
    for (const UniqueFd& deathSocket : pool->deathSockets()) {
        if (passed.size() < kMaxDeathSockets) {
            passed.push_back(duplicateOf(deathSocket));
        }
    }
    channel_.passMemory(ring, memory, std::move(shared.descriptor), std::move(passed));
    const DeviceOffer offer{kDeviceRing, memory->size()};
    const auto said = std::as_bytes(std::span(&offer, memory->device() != nullptr ? 1 : 0));
    rings_.push_back({ring, pool, std::move(kept)});
    handler_->onOfferReady(ring, said);
}

/// A mapping failure ends this connection; on the next one the allocator no longer requests such rings.
std::shared_ptr<FramePool> ShmPath::mapDevice(RingId ring, const RingShape& shape,
                                              std::span<const std::byte> offer, PassedMemory passed) const {
    DeviceOffer said{};
    if (!device_ || offer.size() != sizeof said) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer offers ring {} with {} bytes more than were asked for", ring,
                                offer.size()));
    }
    std::memcpy(&said, offer.data(), sizeof said);
    if (said.kind != kDeviceRing || said.bytes > kMaxDeviceBytes ||
        said.bytes < shape.slotBytes * shape.slotCount) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers {} slots of {} bytes in {} of a device",
                                                 shape.slotCount, shape.slotBytes, said.bytes));
    }
    std::unique_ptr<const DeviceMemory> memory;
    try {
        memory = device_->mapShared(std::move(passed.memory), said.bytes);
    } catch (const Error& error) {
        throw Error(ErrorKind::Peer, fmt::format("the peer's ring cannot be mapped here: {}", error.what()));
    }
    return FramePool::mapPeerDevice(std::move(memory), shape.slotBytes, shape.slotCount,
                                    std::move(passed.deathSockets));
}

std::shared_ptr<FramePool> ShmPath::accept(RingId ring, const RingShape& shape,
                                           std::span<const std::byte> offer) {
    requireAcceptable(ring, accepted_, shape);
    PassedMemory passed = channel_.takeMemory(ring);
    if (!passed.memory) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers ring {} without its memory", ring));
    }
    if (!passed.buffers.empty() && !offer.empty()) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers ring {} in buffers and in a device", ring));
    }
    std::shared_ptr<FramePool> pool;
    if (!passed.buffers.empty()) {
        pool = FramePool::mapPeerBuffers(std::move(passed.buffers), shape.slotBytes, shape.slotCount,
                                         std::move(passed.deathSockets));
    } else if (!offer.empty()) {
        pool = mapDevice(ring, shape, offer, std::move(passed));
    } else {
        pool = FramePool::mapPeer(std::move(passed.memory), shape.slotBytes, shape.slotCount,
                                  std::move(passed.deathSockets));
    }
    accepted_ = ring;
    return pool;
}

UniqueFd ShmPath::takeDeathSocket(RingId ring) {
    const auto found = std::ranges::find(rings_, ring, &Ring::id);
    return found == rings_.end() ? UniqueFd() : std::move(found->deathSocket);
}

Status ShmPath::send(const OutgoingFrame& frame) {
    const auto ring = std::ranges::find(rings_, frame.ring, &Ring::id);
    const std::uint64_t bytes =
        requireSendable(frame, ring != rings_.end() && sameOwner(ring->pool, frame.pool));
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
