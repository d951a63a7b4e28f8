// Walking along the blocks of a frame, in pieces of whatever size a socket takes or gives.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <span>

#include "core/transport/frame_path.h"

namespace verbcast::tcp {

/// A place within the bytes that travel of one frame. A value; no allocation.
class BlockWalk {
  public:
    /// At the first byte of the blocks, which bytesOfBlocks() has approved; without any, of the whole
    /// payload.
    void begin(std::span<const ByteBlock> blocks, std::uint64_t payloadBytes);

    std::uint64_t left() const { return left_; }
    /// The next runs of bytes within a slot: as many as there are, or as there are parts.
    std::size_t gather(std::byte* slot, std::span<iovec> parts) const;
    /// At most left().
    void advance(std::uint64_t bytes);

  private:
    std::array<ByteBlock, kMaxByteBlocks> blocks_{};
    std::size_t count_ = 0;
    std::uint64_t left_ = 0;
    std::size_t block_ = 0;
    std::uint64_t row_ = 0;
    std::uint64_t byte_ = 0;  // of that row
};

}  // namespace verbcast::tcp
