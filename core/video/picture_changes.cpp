#include "core/video/picture_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace verbcast {
namespace {

std::uint32_t right(const FrameRect& rect) {
    return std::uint32_t{rect.x} + rect.width;
}
std::uint32_t bottom(const FrameRect& rect) {
    return std::uint32_t{rect.y} + rect.height;
}
std::uint64_t area(const FrameRect& rect) {
    return std::uint64_t{rect.width} * rect.height;
}

FrameRect around(const FrameRect& a, const FrameRect& b) {
    FrameRect rect;
    rect.x = std::min(a.x, b.x);
    rect.y = std::min(a.y, b.y);
    rect.width = static_cast<std::uint16_t>(std::max(right(a), right(b)) - rect.x);
    rect.height = static_cast<std::uint16_t>(std::max(bottom(a), bottom(b)) - rect.y);
    return rect;
}

/// Pixels that merging adds to the two; negative if they overlap by more than that.
std::int64_t costOfMerging(const FrameRect& a, const FrameRect& b) {
    return static_cast<std::int64_t>(area(around(a, b))) - static_cast<std::int64_t>(area(a) + area(b));
}

std::uint32_t shiftedUp(std::uint32_t value, unsigned shift) {
    return (value + (1U << shift) - 1) >> shift;
}

}  // namespace

PictureChanges PictureChanges::of(const FrameInfo& info) {
    if (info.rectCount == 0) {
        return all();
    }
    PictureChanges changes;
    for (std::size_t i = 0; i < std::min<std::size_t>(info.rectCount, kMaxFrameRects); ++i) {
        changes.add(info.rects[i]);
    }
    return changes;
}

void PictureChanges::tellIn(FrameInfo& info) const {
    if (isNone()) {
        info.rects[0] = {};
        info.rectCount = 1;
        return;
    }
    info.rectCount = static_cast<std::uint16_t>(all_ ? 0 : count_);
    std::copy_n(rects_.begin(), info.rectCount, info.rects.begin());
}

void PictureChanges::add(const FrameRect& rect) {
    if (all_ || rect.isEmpty()) {
        return;
    }
    FrameRect added = rect;
    for (;;) {
        // Find the rectangle nearest to the new one, and the two existing ones nearest to each other.
        std::size_t nearest = 0, first = 0, second = 0;
        std::int64_t toNearest = std::numeric_limits<std::int64_t>::max(), apart = toNearest;
        for (std::size_t i = 0; i < count_; ++i) {
            if (const auto cost = costOfMerging(rects_[i], added); cost < toNearest) {
                toNearest = cost;
                nearest = i;
            }
        }
        if (toNearest > 0 && count_ < rects_.size()) {
            rects_[count_++] = added;
            return;
        }
        for (std::size_t i = 0; toNearest > 0 && i < count_; ++i) {
            for (std::size_t k = i + 1; k < count_; ++k) {
                if (const auto cost = costOfMerging(rects_[i], rects_[k]); cost < apart) {
                    apart = cost;
                    first = i;
                    second = k;
                }
            }
        }
        if (toNearest <= 0 || toNearest <= apart) {
            added = around(rects_[nearest], added);
            remove(nearest);
        } else {
            const FrameRect merged = around(rects_[first], rects_[second]);
            remove(second);  // the later one first: remove() moves the last one into its place
            remove(first);
            rects_[count_++] = added;
            added = merged;
        }
    }
}

void PictureChanges::add(const PictureChanges& other) {
    if (other.all_) {
        *this = all();
    }
    for (const FrameRect& rect : other.rects()) {
        add(rect);
    }
}

std::optional<std::string> changesProblem(const FrameInfo& info, const VideoFormat& format) {
    if (info.rectCount > kMaxFrameRects) {
        return fmt::format("{} changed parts: at most {} expected", info.rectCount, kMaxFrameRects);
    }
    for (const FrameRect& rect : std::span(info.rects).first(info.rectCount)) {
        if (right(rect) > format.width || bottom(rect) > format.height) {
            return fmt::format("a changed part of {}x{} at {},{} in a picture of {}x{}", rect.width,
                               rect.height, rect.x, rect.y, format.width, format.height);
        }
    }
    return std::nullopt;
}

PlaneRegion planeRegion(const VideoFormat& format, std::size_t plane, const FrameRect& part) {
    const PlaneLayout& layout = pixelFormatInfo(format.pixelFormat).planes[plane];
    const std::uint32_t left = part.x >> layout.horizontalShift;
    const std::uint32_t end = shiftedUp(right(part), layout.horizontalShift);
    PlaneRegion region;
    region.group = left / layout.pixelsPerGroup;
    region.groups = (end + layout.pixelsPerGroup - 1) / layout.pixelsPerGroup - region.group;
    region.row = std::uint32_t{part.y} >> layout.verticalShift;
    region.rows = shiftedUp(bottom(part), layout.verticalShift) - region.row;
    return region;
}

}  // namespace verbcast
