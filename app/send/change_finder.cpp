#include "app/send/change_finder.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

/// Less than half of the picture. Rectangles may overlap: then it is less than this says.
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

void ChangeFinder::look(CapturedFrame& frame, bool travels) {
    sourceTells_ |= !frame.changed.isAll();
    if (std::exchange(skipped_, false) || from_ == ChangesFrom::Off) {
        frame.changed = PictureChanges::all();
    }
    if (from_ == ChangesFrom::Compare) {
        frame.changed = comparer_.compare(frame.format, frame.lease.data());
    } else if (from_ == ChangesFrom::Auto && travels && !sourceTells_) {
        lookWherePays(frame);
    } else {
        comparer_.forget();
    }
}

void ChangeFinder::lookWherePays(CapturedFrame& frame) {
    if (resting_ > 0) {
        --resting_;
        return;
    }
    const bool follows = comparer_.knowsPicture();
    frame.changed = comparer_.compare(frame.format, frame.lease.data());
    if (!follows) {
        return;
    }
    if (isSmall(frame.changed, frame.format)) {
        nextRest_ = kFirstRest;
        return;
    }
    resting_ = nextRest_;
    nextRest_ = std::min(2 * nextRest_, kLongestRest);
    comparer_.forget();
}

}  // namespace verbcast
