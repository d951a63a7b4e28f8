// What every path asks of its caller and of its peer, in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/transport/frame_path.h"

namespace verbcast {

/// The bytes that travel: the sum of the blocks, or all of `payloadBytes` where there are none. Nothing when
/// that cannot be: no payload, too many blocks, an empty block, rows that overlap, a block that ends beyond
/// payloadBytes, or blocks that together hold more than that. Safe for numbers that a peer made up.
std::optional<std::uint64_t> bytesOfBlocks(std::span<const ByteBlock> blocks,
                                           std::uint64_t payloadBytes) noexcept;

/// For FramePath::send(): bytesOfBlocks() of the frame. Throws Error{Internal} when the caller may not send
/// it: from a pool or slot that does not exist, into a ring that the path does not know, with more payload
/// than a slot holds, more than kMaxFrameRects rectangles, or impossible blocks.
std::uint64_t requireSendable(const OutgoingFrame& frame, bool knowsRing);

/// For FramePath::offer(). Throws Error{Internal} when the ring's id is not higher than that of the `newest`
/// one offered before.
void requireOfferable(RingId ring, std::optional<RingId> newest);

/// For FramePath::accept(). Throws Error{Peer} when the ring's id is not higher than that of the `newest` one
/// accepted before, or no ring has that shape. A shape that passes is at most 2^63 bytes in all.
void requireAcceptable(RingId ring, std::optional<RingId> newest, const RingShape& shape);

}  // namespace verbcast
