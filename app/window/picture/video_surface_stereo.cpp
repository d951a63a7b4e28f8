// Shows two streams as a stereo pair.
#include <cmath>

#include "app/window/picture/video_surface.h"

namespace verbcast {
namespace {

constexpr float kBlack[3] = {0, 0, 0};

}  // namespace

void VideoSurface::setSwapsEyes(bool swaps) {
    swapsEyes_ = swaps;
    arrange();
}

void VideoSurface::paintStereo() {
    if (layout_->way == LayoutWay::StereoSide) {
        const QSize pixels = pixelSize();
        for (const std::size_t pane : order_) {
            panes_[pane]->draw(pixels.width(), pixels.height(), kBlack);
        }
        return;
    }
    if (layout_->way == LayoutWay::PageFlip) {
        paintEyesInTurn();
        return;
    }
    if (!stereo_) {
        stereo_ = std::make_unique<StereoPicture>();
    }
    const QSize pixels = pixelSize();
    const TargetRect& area = panes_[order_[0]]->place()->area;
    const StereoWay way = layout_->way == LayoutWay::Anaglyph     ? StereoWay::Anaglyph
                          : layout_->way == LayoutWay::Interlaced ? StereoWay::Rows
                                                                  : StereoWay::Halves;
    // Wayland does not report window positions: there the first row is known only in fullscreen.
    const auto firstRow = static_cast<int>(std::lround(mapToGlobal(QPoint(0, 0)).y() * devicePixelRatio()));
    stereo_->draw(panes_[order_[0]]->placed(), panes_[order_[1]]->placed(),
                  {pixels.width(), pixels.height(), area, area}, way, firstRow);
}

/// Later drawing goes to both buffers again.
void VideoSurface::paintEyesInTurn() {
    const QSize pixels = pixelSize();
    drawForEye(EyeBuffer::Left);
    panes_[order_[0]]->draw(pixels.width(), pixels.height(), kBlack);
    drawForEye(EyeBuffer::Right);
    panes_[order_[1]]->draw(pixels.width(), pixels.height(), kBlack);
    drawForEye(EyeBuffer::Both);
}

/// Maps a point of the surface, in device pixels, to where it would be without the squeezing of StereoHalf.
QPointF VideoSurface::unsqueezed(const QPointF& target) const {
    if (layout_->way != LayoutWay::StereoHalf || !isStereoPicture()) {
        return target;
    }
    const double half = std::floor(pixelSize().width() / 2.0);
    return {(target.x() < half ? target.x() : target.x() - half) * 2, target.y()};
}

}  // namespace verbcast
