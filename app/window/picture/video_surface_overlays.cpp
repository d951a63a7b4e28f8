// Overlays over the pictures of a surface.
#include <QOpenGLPaintDevice>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "app/window/picture/video_surface.h"

namespace verbcast {

void VideoSurface::setStagePanel(const QImage& panel) {
    overlay_.stagePanel = panel;
    requestUpdate();
}

void VideoSurface::setMessage(const QImage& message, std::size_t pane) {
    panes_.at(pane)->message = message;
    requestUpdate();
}

void VideoSurface::setLabel(const QImage& label, std::size_t pane) {
    panes_.at(pane)->label = label;
    requestUpdate();
}

void VideoSurface::setToast(const QImage& toast) {
    overlay_.toast = toast;
    requestUpdate();
}

void VideoSurface::setWarning(const QImage& warning) {
    overlay_.warning = warning;
    requestUpdate();
}

void VideoSurface::setComparison(const QImage& comparison) {
    overlay_.comparison = comparison;
    requestUpdate();
}

void VideoSurface::setOverlays(std::vector<std::string> names) {
    overlays_ = std::move(names);
    requestUpdate();
}

std::vector<PaneOverlay> VideoSurface::paneOverlays() const {
    std::vector<PaneOverlay> overlays;
    for (const std::size_t index : order_) {
        const PicturePane& pane = *panes_[index];
        const TargetRect& clip = pane.place()->clip;
        overlays.push_back({.area = {clip.left, clip.top, clip.width, clip.height},
                            .label = pane.label,
                            .message = pane.message,
                            .framed = framed_ && index == focus_ && order_.size() > 1});
    }
    return overlays;
}

void VideoSurface::paintOverImages() {
    const std::vector<PaneOverlay> panes = paneOverlays();
    overlay_.divider = divider().value_or(QRect());
    if (!overlay_.any() &&
        std::none_of(panes.begin(), panes.end(), [](const auto& pane) { return pane.any(); })) {
        return;
    }
    const TargetRect area = focused().place().value_or(PicturePlace{}).clip;
    overlay_.panelArea = {area.left, area.top, area.width, area.height};
    const auto measured = metersPane_ < panes_.size() ? panes_[metersPane_]->place() : std::nullopt;
    const TargetRect metersArea = measured ? measured->clip : area;
    overlay_.metersArea = {metersArea.left, metersArea.top, metersArea.width, metersArea.height};
    QOpenGLPaintDevice device(pixelSize());
    device.setDevicePixelRatio(devicePixelRatio());
    QPainter painter(&device);
    paintOverlays(painter, size(), panes, overlay_);
}

}  // namespace verbcast
