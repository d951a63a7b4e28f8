#include "app/window/picture/picture_view.h"

#include <algorithm>
#include <cmath>

namespace verbcast {
namespace {

double clampCentre(double centre, double pictureSide, double targetSide) {
    if (pictureSide <= targetSide) {
        return targetSide / 2;
    }
    return std::clamp(centre, targetSide - pictureSide / 2, pictureSide / 2);
}

double snapCentre(double centre, double pictureSide) {
    return std::round(centre - pictureSide / 2) + pictureSide / 2;
}

}  // namespace

void PictureView::setTarget(int width, int height) {
    const double dx = (width - targetWidth_) / 2.0;
    const double dy = (height - targetHeight_) / 2.0;
    targetWidth_ = std::max(width, 1);
    targetHeight_ = std::max(height, 1);
    centreX_ += dx;
    centreY_ += dy;
    clamp();
}

void PictureView::setPicture(DisplaySize size) {
    if (size.width == picture_.width && size.height == picture_.height) {
        return;
    }
    picture_ = size;
    fit();
}

void PictureView::fit() {
    fitted_ = true;
}

void PictureView::oneToOne() {
    fitted_ = false;
    scale_ = 1;
    centreX_ = targetWidth_ / 2.0;
    centreY_ = targetHeight_ / 2.0;
}

double PictureView::fitScale() const {
    if (picture_.width <= 0 || picture_.height <= 0) {
        return 1;
    }
    return std::min(targetWidth_ / picture_.width, targetHeight_ / picture_.height);
}

double PictureView::scale() const {
    return fitted_ ? fitScale() : scale_;
}

void PictureView::zoomAt(double x, double y, double factor) {
    const Placement before = placement();
    double after = before.scale * factor;
    if ((before.scale < 1 && after > 1) || (before.scale > 1 && after < 1)) {
        after = 1;
    }
    after = std::clamp(after, std::min(fitScale(), 1.0) / 4, std::max(kMaxScale, fitScale()));
    const double ratio = after / before.scale;
    fitted_ = false;
    scale_ = after;
    centreX_ = x + (before.centreX - x) * ratio;
    centreY_ = y + (before.centreY - y) * ratio;
    clamp();
}

void PictureView::panBy(double dx, double dy) {
    if (fitted_) {
        return;
    }
    centreX_ += dx;
    centreY_ += dy;
    clamp();
}

bool PictureView::canPan() const {
    return !fitted_ && (picture_.width * scale_ > targetWidth_ || picture_.height * scale_ > targetHeight_);
}

void PictureView::clamp() {
    centreX_ = clampCentre(centreX_, picture_.width * scale_, targetWidth_);
    centreY_ = clampCentre(centreY_, picture_.height * scale_, targetHeight_);
}

Placement PictureView::placement() const {
    if (fitted_) {
        return {.centreX = targetWidth_ / 2.0, .centreY = targetHeight_ / 2.0, .scale = fitScale()};
    }
    Placement placement{.centreX = centreX_, .centreY = centreY_, .scale = scale_};
    if (scale_ >= 1) {
        placement.centreX = snapCentre(centreX_, picture_.width * scale_);
        placement.centreY = snapCentre(centreY_, picture_.height * scale_);
    }
    return placement;
}

}  // namespace verbcast
