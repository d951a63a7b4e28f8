#include "core/flow/region_blocks.h"

namespace verbcast {
namespace {

static_assert(kMaxFrameRects * (kMaxPlanes + 1) <= kMaxByteBlocks, "every change can be told");

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

FrameRect movedBy(const FrameRect& rect, std::uint16_t x, std::uint16_t y) {
    return {static_cast<std::uint16_t>(rect.x + x), static_cast<std::uint16_t>(rect.y + y), rect.width,
            rect.height};
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

RegionBlocks::RegionBlocks(const VideoFormat& picture, const FrameRect& region, const VideoFormat& part,
                           const PictureChanges& changes, const RegionPlace* place)
    : picture_(picture),
      region_(region),
      part_(part),
      slot_(place != nullptr ? place->picture : part),
      corner_(place != nullptr ? place->corner : PicturePoint{}) {
    if (changes.isNone()) {
        // No frame is empty: send a byte that the slot already holds.
        const std::uint64_t groupBytes = pixelFormatInfo(picture.pixelFormat).planes[0].bytesPerGroup;
        const FrameRect first{0, 0, 1, 1};
        addBlock(picture.planes[0], slot_.planes[0],
                 {.groupBytes = groupBytes,
                  .rowBytes = 1,
                  .lies = planeRegion(picture, 0, inPicture(first)),
                  .lands = planeRegion(slot_, 0, inSlot(first))});
        return;
    }
    if (!changes.isAll()) {
        for (const FrameRect& rect : changes.rects()) {
            add(rect);
        }
        if (bytes_ < part.payloadBytes) {
            return;
        }
        count_ = 0;  // they overlap too much
    }
    add({0, 0, region.width, region.height});
}

FrameRect RegionBlocks::inPicture(const FrameRect& rect) const {
    return movedBy(rect, region_.x, region_.y);
}

FrameRect RegionBlocks::inSlot(const FrameRect& rect) const {
    return movedBy(rect, corner_.x, corner_.y);
}

void RegionBlocks::add(const FrameRect& rect) {
    const PixelFormatInfo& info = pixelFormatInfo(part_.pixelFormat);
    const bool wholeRows = rect.x == 0 && rect.width == region_.width;
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        const std::uint64_t groupBytes = info.planes[plane].bytesPerGroup;
        const PlaneRegion lies = planeRegion(picture_, plane, inPicture(rect));
        // Whole rows include their padding (v210), as in the picture.
        const std::uint64_t rowBytes = wholeRows ? tightRowBytes(part_, plane) : lies.groups * groupBytes;
        addBlock(picture_.planes[plane], slot_.planes[plane],
                 {groupBytes, rowBytes, lies, planeRegion(slot_, plane, inSlot(rect))});
    }
    if (part_.hasDepth()) {
        addBlock(picture_.depth, slot_.depth,
                 {sizeof(float), rect.width * sizeof(float), depthRegion(inPicture(rect)),
                  depthRegion(inSlot(rect))});
    }
}

void RegionBlocks::addBlock(const Plane& inPicture, const Plane& inSlot, const Run& run) {
    const auto block = [&run](const Plane& plane, const PlaneRegion& at) {
        return ByteBlock{.offset = plane.offset + std::uint64_t{at.row} * plane.stride +
                                   std::uint64_t{at.group} * run.groupBytes,
                         .rowBytes = run.rowBytes,
                         .stride = plane.stride,
                         .rows = run.lands.rows};
    };
    into_[count_] = block(inSlot, run.lands);
    from_[count_] = block(inPicture, run.lies);
    bytes_ += run.rowBytes * run.lands.rows;
    ++count_;
}

}  // namespace verbcast
