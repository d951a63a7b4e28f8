// Walks through the blocks of a frame, in pieces of whatever size a socket or device takes.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <span>

#include "core/transport/frame_path.h"

namespace verbcast {

/// A position within the bytes that travel. A value type; no allocation.
class BlockWalk {
  public:
    /// Starts at the first byte of the blocks, which bytesOfBlocks() has approved; without blocks, at the
    /// start of the payload.
    void begin(std::span<const ByteBlock> blocks, std::uint64_t payloadBytes);

    std::uint64_t left() const { return left_; }
    /// The next bytes without a gap, by their offset in the slot. Not at the end.
    struct Run {
        std::uint64_t offset, bytes;
    };
    Run run() const {
        const ByteBlock& block = blocks_[block_];
        return {block.offset + row_ * block.stride + byte_, block.rowBytes - byte_};
    }
    /// Collects the next runs of bytes in a slot, as many as are left or fit into `parts`, and at most that
    /// many bytes; returns their number.
    std::size_t gather(std::byte* slot, std::span<iovec> parts, std::uint64_t most = UINT64_MAX) const;
    /// At most left().
    void advance(std::uint64_t bytes);

  private:
    std::array<ByteBlock, kMaxByteBlocks> blocks_{};
    std::size_t count_ = 0;
    std::uint64_t left_ = 0;
    std::size_t block_ = 0;
    std::uint64_t row_ = 0;
    std::uint64_t byte_ = 0;  // within that row
};

}  // namespace verbcast
