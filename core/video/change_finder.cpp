#include "core/video/change_finder.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

/// Less than half of the picture. Overlapping rectangles are counted twice, so the real area may be smaller.
bool isSmall(const PictureChanges& changes, const VideoFormat& format) {
    std::uint64_t pixels = 0;
    for (const FrameRect& rect : changes.rects()) {
        pixels += std::uint64_t{rect.width} * rect.height;
    }
    return !changes.isAll() && pixels * 2 < std::uint64_t{format.width} * format.height;
}

}  // namespace

void ChangeFinder::skip() {
    skipped_ = true;
    comparer_.forget();
}

PictureChanges ChangeFinder::look(const VideoFormat& format, const std::byte* payload,
                                  const PictureChanges& told, bool travels) {
    sourceTells_ |= !told.isAll();
    const bool follows = !std::exchange(skipped_, false) && from_ != ChangesFrom::Off;
    if (from_ == ChangesFrom::Compare) {
        return comparer_.compare(format, payload);
    }
    if (from_ == ChangesFrom::Auto && travels && !sourceTells_) {
        return lookWherePays(format, payload);
    }
    comparer_.forget();
    return follows ? told : PictureChanges::all();
}

PictureChanges ChangeFinder::lookWherePays(const VideoFormat& format, const std::byte* payload) {
    if (resting_ > 0) {
        --resting_;
        return PictureChanges::all();
    }
    const bool follows = comparer_.knowsPicture();
    const PictureChanges changed = comparer_.compare(format, payload);
    if (!follows) {
        return changed;
    }
    if (isSmall(changed, format)) {
        nextRest_ = kFirstRest;
        return changed;
    }
    resting_ = nextRest_;
    nextRest_ = std::min(2 * nextRest_, kLongestRest);
    comparer_.forget();
    return changed;
}

}  // namespace verbcast
