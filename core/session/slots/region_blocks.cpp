#include "core/session/slots/region_blocks.h"

namespace verbcast {

RegionBlocks::RegionBlocks(const VideoFormat& picture, const FrameRect& region, const VideoFormat& part,
                           const PictureChanges& changes)
    : picture_(picture), region_(region), part_(part) {
    if (changes.isNone()) {
        // No frame is empty: a byte that the slot holds already.
        const PlaneRegion corner = planeRegion(picture, 0, region);
        const Plane& plane = picture.planes[0];
        const std::uint64_t groupBytes = pixelFormatInfo(picture.pixelFormat).planes[0].bytesPerGroup;
        from_[0] = {plane.offset + std::uint64_t{corner.row} * plane.stride + corner.group * groupBytes, 1, 1,
                    1};
        into_[0] = {part.planes[0].offset, 1, 1, 1};
        count_ = 1;
        return;
    }
    if (!changes.isAll()) {
        for (const FrameRect& rect : changes.rects()) {
            add(rect);
        }
        if (bytes_ < part.payloadBytes) {
            return;
        }
        count_ = 0;  // they overlap so much
    }
    add({0, 0, region.width, region.height});
}

void RegionBlocks::add(const FrameRect& rect) {
    const PixelFormatInfo& info = pixelFormatInfo(part_.pixelFormat);
    const bool wholeRows = rect.x == 0 && rect.width == region_.width;
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        const std::uint64_t groupBytes = info.planes[plane].bytesPerGroup;
        const PlaneRegion place = planeRegion(part_, plane, rect);
        // Whole rows have their padding (v210), as a row of the picture has.
        const std::uint64_t rowBytes = wholeRows ? tightRowBytes(part_, plane) : place.groups * groupBytes;
        addBlock(picture_.planes[plane], part_.planes[plane], groupBytes, rowBytes,
                 planeRegion(picture_, plane, region_), place);
    }
    if (part_.hasDepth()) {
        const PlaneRegion place = depthRegion(rect);
        addBlock(picture_.depth, part_.depth, sizeof(float), place.groups * sizeof(float),
                 depthRegion(region_), place);
    }
}

void RegionBlocks::addBlock(const Plane& inPicture, const Plane& inPart, std::uint64_t groupBytes,
                            std::uint64_t rowBytes, const PlaneRegion& corner, const PlaneRegion& place) {
    into_[count_] = {
        .offset = inPart.offset + std::uint64_t{place.row} * inPart.stride + place.group * groupBytes,
        .rowBytes = rowBytes,
        .stride = inPart.stride,
        .rows = place.rows};
    from_[count_] = {.offset = inPicture.offset + (std::uint64_t{corner.row} + place.row) * inPicture.stride +
                               (std::uint64_t{corner.group} + place.group) * groupBytes,
                     .rowBytes = rowBytes,
                     .stride = inPicture.stride,
                     .rows = place.rows};
    bytes_ += rowBytes * place.rows;
    ++count_;
}

}  // namespace verbcast
