#include "core/video/picture_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace verbcast {
namespace {

struct PixelUnit {
    std::uint32_t x = 1, y = 1;
};

/// Pixels across and down after which every plane starts a new group, and a row its next padding unit.
PixelUnit unitOf(const VideoFormat& format) {
    const PixelFormatInfo& info = pixelFormatInfo(format.pixelFormat);
    PixelUnit unit;
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        const PlaneLayout& layout = info.planes[plane];
        const std::uint32_t groups =
            std::lcm<std::uint32_t>(info.rowAlignment, layout.bytesPerGroup) / layout.bytesPerGroup;
        unit.x = std::lcm(unit.x, (groups * layout.pixelsPerGroup) << layout.horizontalShift);
        unit.y = std::lcm(unit.y, 1U << layout.verticalShift);
    }
    return unit;
}

struct Span {
    std::uint32_t begin, end;
};

/// Expands to multiples of the unit, and to kMinDimension, within the picture.
Span aligned(Span wanted, std::uint32_t unit, std::uint32_t size) {
    Span span = wanted;
    if (span.end - span.begin < kMinDimension) {
        span.end = std::min(span.begin + kMinDimension, size);
        span.begin = span.end - std::min(span.end, kMinDimension);
    }
    span.begin -= span.begin % unit;
    span.end = std::min((span.end + unit - 1) / unit * unit, size);
    return span;
}

bool liesIn(const VideoFormat& format, const FrameRect& rect) {
    return !rect.isEmpty() && std::uint32_t{rect.x} + rect.width <= format.width &&
           std::uint32_t{rect.y} + rect.height <= format.height;
}

/// From an odd row on, the fields change places.
FieldOrder orderFrom(const FrameRect& region, FieldOrder order) {
    return region.y % 2 == 0 || order == FieldOrder::Progressive ? order
           : order == FieldOrder::TopFirst                       ? FieldOrder::BottomFirst
                                                                 : FieldOrder::TopFirst;
}

}  // namespace

FrameRect alignedRegion(const VideoFormat& format, const FrameRect& wanted) {
    const PixelUnit unit = unitOf(format);
    const Span x =
        aligned({wanted.x, std::uint32_t{wanted.x} + wanted.width}, std::max(1U, unit.x), format.width);
    const Span y =
        aligned({wanted.y, std::uint32_t{wanted.y} + wanted.height}, std::max(1U, unit.y), format.height);
    return {static_cast<std::uint16_t>(x.begin), static_cast<std::uint16_t>(y.begin),
            static_cast<std::uint16_t>(x.end - x.begin), static_cast<std::uint16_t>(y.end - y.begin)};
}

PictureRegion chooseRegion(const VideoFormat& format, const RegionWish& wish) {
    PictureRegion region{.wanted = {},
                         .held = alignedRegion(format, {0, 0, kMinDimension, kMinDimension}),
                         .pictureWidth = format.width,
                         .pictureHeight = format.height};
    if (const auto wanted = wish(format); wanted && liesIn(format, *wanted)) {
        region.wanted = *wanted;
        region.held = alignedRegion(format, *wanted);
    }
    return region;
}

std::optional<std::string> regionProblem(const VideoFormat& format, const FrameRect& region) {
    const auto about = [&](std::string_view what) {
        return fmt::format("a part of {}x{} at {},{} of a picture of {}x{} {}{}", region.width, region.height,
                           region.x, region.y, format.width, format.height,
                           pixelFormatName(format.pixelFormat), what);
    };
    if (!liesIn(format, region)) {
        return about("");
    }
    return alignedRegion(format, region) == region ? std::nullopt
                                                   : std::optional(about(", which no sample ends with"));
}

VideoFormat regionFormat(const VideoFormat& format, const FrameRect& region) {
    VideoFormat part = format;
    part.width = region.width;
    part.height = region.height;
    part.fieldOrder = orderFrom(region, format.fieldOrder);
    layOutPlanes(part, 1, 1);
    if (format.hasDepth()) {
        addDepth(part);
    }
    return part;
}

VideoFormat regionInPlace(const VideoFormat& format, const FrameRect& region) {
    VideoFormat part = format;
    part.width = region.width;
    part.height = region.height;
    part.fieldOrder = orderFrom(region, format.fieldOrder);
    part.payloadBytes = 0;
    const auto place = [&part](Plane& plane, const PlaneRegion& at, std::uint64_t groupBytes,
                               std::uint64_t rowBytes) {
        plane.offset += std::uint64_t{at.row} * plane.stride + at.group * groupBytes;
        part.payloadBytes = std::max(part.payloadBytes,
                                     plane.offset + std::uint64_t{plane.stride} * (at.rows - 1) + rowBytes);
    };
    const PixelFormatInfo& info = pixelFormatInfo(format.pixelFormat);
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        place(part.planes[plane], planeRegion(format, plane, region), info.planes[plane].bytesPerGroup,
              tightRowBytes(part, plane));
    }
    if (format.hasDepth()) {
        place(part.depth, depthRegion(region), sizeof(float), std::uint64_t{region.width} * sizeof(float));
    }
    return part;
}

void copyPart(const VideoFormat& from, const std::byte* source, const FrameRect& part, const VideoFormat& to,
              std::byte* target, PicturePoint corner) {
    const FrameRect moved{corner.x, corner.y, part.width, part.height};
    const PixelFormatInfo& info = pixelFormatInfo(from.pixelFormat);
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        const PlaneRegion read = planeRegion(from, plane, part), written = planeRegion(to, plane, moved);
        const std::uint64_t groupBytes = info.planes[plane].bytesPerGroup;
        const std::uint64_t bytes = std::min(read.groups, written.groups) * groupBytes;
        const Plane &one = from.planes[plane], &other = to.planes[plane];
        for (std::uint32_t row = 0; row < std::min(read.rows, written.rows); ++row) {
            std::memcpy(
                target + other.offset + std::uint64_t{written.row + row} * other.stride +
                    written.group * groupBytes,
                source + one.offset + std::uint64_t{read.row + row} * one.stride + read.group * groupBytes,
                bytes);
        }
    }
}

PictureChanges changesWithin(const PictureChanges& changes, const FrameRect& region) {
    if (changes.isAll()) {
        return changes;
    }
    PictureChanges within = PictureChanges::none();
    for (const FrameRect& rect : changes.rects()) {
        const FrameRect common = commonPart(rect, region);
        if (!common.isEmpty()) {
            within.add({static_cast<std::uint16_t>(common.x - region.x),
                        static_cast<std::uint16_t>(common.y - region.y), common.width, common.height});
        }
    }
    return within;
}

}  // namespace verbcast
