#include "core/flow/changed_blocks.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxPlanes = 4;  // including depth
static_assert(kMaxFrameRects * kMaxPlanes <= kMaxByteBlocks, "every change can be told");

// A run of bytes costs an entry in sendmsg's list or a work request: some 200 ns, in which a path moves about
// this many bytes. So rows with smaller gaps are sent as one run, gaps included.
constexpr std::uint64_t kRunCost = 512;
// Parts that cost nearly as much as the whole frame are not worth their bookkeeping at both ends.
constexpr std::uint64_t kWorthwhileEighths = 7;

/// The region's bytes, in as few runs as pay off.
ByteBlock blockOf(const Plane& place, std::uint64_t groupBytes, const PlaneRegion& region) {
    ByteBlock block;
    block.offset = place.offset + std::uint64_t{region.row} * place.stride + region.group * groupBytes;
    block.rowBytes = region.groups * groupBytes;
    block.stride = place.stride;
    block.rows = region.rows;
    if (block.stride - block.rowBytes <= kRunCost) {
        block.rowBytes += (block.rows - 1) * block.stride;
        block.stride = block.rowBytes;
        block.rows = 1;
    }
    return block;
}

}  // namespace

ChangedBlocks::ChangedBlocks(const VideoFormat& format, const PictureChanges& changes) {
    if (changes.isAll()) {
        return;
    }
    if (changes.isNone()) {
        blocks_[count_++] = {.offset = 0, .rowBytes = 1, .stride = 1, .rows = 1};  // no frame is empty
        return;
    }
    std::uint64_t cost = 0;
    for (const FrameRect& rect : changes.rects()) {
        const auto add = [&](const ByteBlock& block) {
            cost += block.rows * (block.rowBytes + kRunCost);
            blocks_[count_++] = block;
        };
        const PixelFormatInfo& pixels = pixelFormatInfo(format.pixelFormat);
        for (std::size_t plane = 0; plane < pixels.planeCount; ++plane) {
            add(blockOf(format.planes[plane], pixels.planes[plane].bytesPerGroup,
                        planeRegion(format, plane, rect)));
        }
        if (format.hasDepth()) {
            add(blockOf(format.depth, sizeof(float), depthRegion(rect)));
        }
    }
    if (cost * 8 > format.payloadBytes * kWorthwhileEighths) {
        count_ = 0;
    }
}

}  // namespace verbcast
