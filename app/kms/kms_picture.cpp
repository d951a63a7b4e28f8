#include "app/kms/kms_picture.h"

#include <utility>

#include "app/view/words/upload_names.h"

namespace verbcast {
namespace {

constexpr float kAround[3] = {0, 0, 0};

}  // namespace

KmsPicture::KmsPicture(const ViewOptions& options)
    : renderer_(uploadPathByName(options.upload)), overlayNames_(options.overlays), still_(options.still) {
    if (options.tile) {
        tile_.emplace(*options.tile);
    }
}

PictureChanges KmsPicture::changesUntil(const ReceivedFrame& frame) {
    PictureChanges changes = std::exchange(missed_, PictureChanges::none());
    changes.add(PictureChanges::of(frame.info));
    return changes;
}

void KmsPicture::taken(ReceivedFrame& frame, bool whole, const PictureChanges& changes) {
    frame.lease.reset();
    if (!whole) {
        missed_ = changes;
    } else if (tile_) {
        tile_->follow(frame);
    }
}

void KmsPicture::draw(int targetWidth, int targetHeight, TimestampNs now) {
    const double covered = fade_.opacity(now);
    const TargetRect whole{0, 0, targetWidth, targetHeight};
    const TargetPart part{targetWidth, targetHeight, whole, whole};
    if (covered >= 1 || !renderer_.hasPicture()) {
        clearTarget(targetWidth, targetHeight, kAround);
    } else {
        if (tile_) {
            tile_->draw(renderer_, part);
        } else {
            renderer_.draw(fitPlacement(renderer_.format(), targetWidth, targetHeight), part, kAround);
        }
        overlays_.draw(overlayNames_, renderer_, part);
    }
    if (covered > 0) {
        still_.drawOver(targetWidth, targetHeight, covered);
    }
}

void KmsPicture::moveCurtain(bool open, TimestampNs now) {
    if (open != fade_.opening()) {
        open ? fade_.open(now) : fade_.close(now);
    }
}

}  // namespace verbcast
