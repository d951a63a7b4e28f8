// What every path requires of its caller and of its peer, in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/transport/frame_path.h"

namespace verbcast {

/// The number of bytes that travel: the sum of the blocks, or all of `payloadBytes` if there are none.
/// Nothing if that is impossible: no payload, too many blocks, an empty block, overlapping rows, a block that
/// ends beyond payloadBytes, or blocks that together exceed it. Safe for numbers from an untrusted peer.
std::optional<std::uint64_t> bytesOfBlocks(std::span<const ByteBlock> blocks,
                                           std::uint64_t payloadBytes) noexcept;

/// Whether every block lies in one of `places`; also where there are no places. Blocks that bytesOfBlocks()
/// has approved; without any, a payload is whole and lies in no place.
bool liesWithin(std::span<const ByteBlock> blocks, std::span<const ByteBlock> places) noexcept;

/// For FramePath::send(): bytesOfBlocks() of the frame. Throws Error{Internal} if the caller may not send it:
/// from a pool or slot that does not exist, into a ring unknown to the path, with more payload than a slot
/// holds, more than kMaxFrameRects rectangles, or impossible blocks.
std::uint64_t requireSendable(const OutgoingFrame& frame, bool knowsRing);

/// For FramePath::offer(). Throws Error{Internal} unless the ring's id is higher than the `newest` one
/// offered before.
void requireOfferable(RingId ring, std::optional<RingId> newest);

/// For FramePath::offer() of paths on which the processor stores the frames: if it cannot reach the ring,
/// tells the handler and returns false.
bool reachesRing(RingId ring, const FramePool& pool, FrameHandler& handler);

/// For FramePath::reaches() of paths on which the processor reads the frames.
Import reachedByProcessor(const Memory& memory);

/// For FramePath::accept(). Throws Error{Peer} unless the ring's id is higher than the `newest` one accepted
/// before and the shape is possible. A shape that passes is at most 2^63 bytes in all.
void requireAcceptable(RingId ring, std::optional<RingId> newest, const RingShape& shape);

}  // namespace verbcast
