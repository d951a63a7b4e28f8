#include "core/transport/block_walk.h"

#include <algorithm>

namespace verbcast {

void BlockWalk::begin(std::span<const ByteBlock> blocks, std::uint64_t payloadBytes) {
    const ByteBlock whole{.offset = 0, .rowBytes = payloadBytes, .stride = payloadBytes, .rows = 1};
    count_ = 0;
    left_ = 0;
    block_ = 0;
    row_ = byte_ = 0;
    for (const ByteBlock& block : blocks.empty() ? std::span(&whole, 1) : blocks) {
        ByteBlock& copy = blocks_[count_++] = block;
        if (copy.stride == copy.rowBytes) {
            copy.rowBytes *= copy.rows;  // one run without gaps
            copy.rows = 1;
        }
        left_ += copy.rows * copy.rowBytes;
    }
}

std::size_t BlockWalk::gather(std::byte* slot, std::span<iovec> parts, std::uint64_t most) const {
    std::size_t filled = 0;
    std::uint64_t row = row_;
    std::uint64_t byte = byte_;
    for (std::size_t index = block_; index < count_; ++index, row = 0) {
        const ByteBlock& block = blocks_[index];
        for (; row < block.rows; ++row, byte = 0) {
            if (filled == parts.size() || most == 0) {
                return filled;
            }
            const std::uint64_t bytes = std::min(most, block.rowBytes - byte);
            parts[filled++] = {slot + block.offset + row * block.stride + byte, bytes};
            most -= bytes;
        }
    }
    return filled;
}

void BlockWalk::advance(std::uint64_t bytes) {
    left_ -= bytes;
    while (bytes > 0) {
        const ByteBlock& block = blocks_[block_];
        const std::uint64_t step = std::min(bytes, block.rowBytes - byte_);
        bytes -= step;
        byte_ += step;
        if (byte_ == block.rowBytes) {
            byte_ = 0;
            if (++row_ == block.rows) {
                row_ = 0;
                ++block_;
            }
        }
    }
}

}  // namespace verbcast
