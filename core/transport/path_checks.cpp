#include "core/transport/path_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace verbcast {
namespace {

constexpr RingId kMaxRingId = 65536;

/// The offset behind the block; nullopt if it is empty, overlaps itself, or ends beyond 64 bits.
std::optional<std::uint64_t> endOf(const ByteBlock& block) noexcept {
    if (block.rowBytes == 0 || block.rows == 0 || (block.rows > 1 && block.stride < block.rowBytes)) {
        return std::nullopt;
    }
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(block.rows - 1, block.stride, &end) ||
        __builtin_add_overflow(end, block.offset, &end) ||
        __builtin_add_overflow(end, block.rowBytes, &end)) {
        return std::nullopt;
    }
    return end;
}

/// Whether `from` matches `blocks` row by row and lies within a slot.
bool liesInSlot(const OutgoingFrame& frame) noexcept {
    const std::uint64_t slotBytes = frame.pool->slotBytes();
    return frame.from.empty() ||
           std::ranges::equal(frame.from, frame.blocks, [&](const ByteBlock& lies, const ByteBlock& lands) {
               const auto end = endOf(lies);
               return end && *end <= slotBytes && lies.rows == lands.rows && lies.rowBytes == lands.rowBytes;
           });
}

bool isNext(RingId ring, std::optional<RingId> newest) {
    return ring < kMaxRingId && (!newest || ring > *newest);
}

}  // namespace

std::optional<std::uint64_t> bytesOfBlocks(std::span<const ByteBlock> blocks,
                                           std::uint64_t payloadBytes) noexcept {
    if (payloadBytes == 0 || blocks.size() > kMaxByteBlocks) {
        return std::nullopt;
    }
    if (blocks.empty()) {
        return payloadBytes;
    }
    std::uint64_t total = 0;
    for (const ByteBlock& block : blocks) {
        const auto end = endOf(block);
        if (!end || *end > payloadBytes) {
            return std::nullopt;
        }
        // Rows do not overlap, so the product is at most the end offset.
        if (__builtin_add_overflow(total, block.rows * block.rowBytes, &total) || total > payloadBytes) {
            return std::nullopt;
        }
    }
    return total;
}

bool liesWithin(std::span<const ByteBlock> blocks, std::span<const ByteBlock> places) noexcept {
    const auto lies = [](const ByteBlock& block, const ByteBlock& place) {
        if (block.offset < place.offset || (block.rows > 1 && block.stride != place.stride)) {
            return false;
        }
        const std::uint64_t stride = std::max<std::uint64_t>(place.stride, 1);
        const std::uint64_t row = (block.offset - place.offset) / stride;
        const std::uint64_t column = (block.offset - place.offset) % stride;
        return row < place.rows && block.rows <= place.rows - row && column < place.rowBytes &&
               block.rowBytes <= place.rowBytes - column;
    };
    return places.empty() || (!blocks.empty() && std::ranges::all_of(blocks, [&](const ByteBlock& block) {
               return std::ranges::any_of(places, [&](const ByteBlock& place) { return lies(block, place); });
           }));
}

std::uint64_t requireSendable(const OutgoingFrame& frame, bool knowsRing) {
    if (!frame.pool || frame.localSlot >= frame.pool->slotCount()) {
        throw Error(ErrorKind::Internal, fmt::format("a frame from slot {} of {}", frame.localSlot,
                                                     frame.pool ? frame.pool->slotCount() : 0));
    }
    if (!knowsRing) {
        throw Error(ErrorKind::Internal,
                    fmt::format("a frame for ring {}, to which its pool cannot send", frame.ring));
    }
    // A part of a slot may go into a larger slot.
    const bool fits = !frame.from.empty() || frame.info.payloadBytes <= frame.pool->slotBytes();
    const auto bytes =
        fits && liesInSlot(frame) ? bytesOfBlocks(frame.blocks, frame.info.payloadBytes) : std::nullopt;
    if (!bytes || frame.info.rectCount > kMaxFrameRects) {
        throw Error(ErrorKind::Internal,
                    fmt::format("an impossible frame: {} bytes in {} blocks and {} rectangles from a slot of "
                                "{}",
                                frame.info.payloadBytes, frame.blocks.size(), frame.info.rectCount,
                                frame.pool->slotBytes()));
    }
    return *bytes;
}

void requireOfferable(RingId ring, std::optional<RingId> newest) {
    if (!isNext(ring, newest)) {
        throw Error(ErrorKind::Internal, fmt::format("ring {} is offered after ring {}", ring,
                                                     newest ? std::to_string(*newest) : "none"));
    }
}

bool reachesRing(RingId ring, const FramePool& pool, FrameHandler& handler) {
    if (const DeviceMemory* device = pool.memory()->device()) {
        handler.onOfferRefused(ring, "the processor cannot reach the memory of " + device->deviceName());
        return false;
    }
    return true;
}

Import reachedByProcessor(const Memory& memory) {
    if (const DeviceMemory* device = memory.device()) {
        return Import::needsCopy("the processor cannot reach the memory of " + device->deviceName());
    }
    return memory.bytes().empty() ? Import::needsCopy("the processor cannot reach that memory") : Import{};
}

void requireAcceptable(RingId ring, std::optional<RingId> newest, const RingShape& shape) {
    if (!isNext(ring, newest)) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers ring {} after ring {}", ring,
                                                 newest ? std::to_string(*newest) : "none"));
    }
    if (shape.slotCount < 1 || shape.slotCount > kMaxSlots || shape.slotBytes == 0 ||
        shape.slotBytes > (std::uint64_t{1} << 63) / kMaxSlots) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers an impossible ring: {} slots of {} bytes",
                                                 shape.slotCount, shape.slotBytes));
    }
}

}  // namespace verbcast
