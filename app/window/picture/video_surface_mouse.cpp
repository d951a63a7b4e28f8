// Mouse and wheel actions on the pictures of a surface.
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "app/window/picture/video_surface.h"

namespace verbcast {
namespace {

constexpr double kZoomPerNotch = 1.25;
constexpr double kWheelNotch = 120;  // eighths of a degree, Qt's unit
constexpr double kGrip = 6;          // grip range around a wipe's line, in device-independent pixels

}  // namespace

std::optional<std::size_t> VideoSurface::paneAt(const QPointF& position) const {
    // Both are in the same place; the focused one is one of them.
    if (isStereoPicture() && layout_->way != LayoutWay::StereoSide) {
        return focus_;
    }
    for (auto pane = order_.rbegin(); pane != order_.rend(); ++pane) {
        if (panes_[*pane]->contains(position * devicePixelRatio())) {
            return *pane;
        }
    }
    return std::nullopt;
}

/// Panes that move together: pictures being compared share one place.
std::vector<std::size_t> VideoSurface::together(std::size_t pane) const {
    return divider().has_value() || compares() || isStereoPicture() ? order_ : std::vector{pane};
}

std::optional<QRect> VideoSurface::divider() const {
    if (layout_->way != LayoutWay::Wipe || order_.size() < 2) {
        return std::nullopt;
    }
    const TargetRect& behind = panes_[order_[1]]->place()->clip;
    return QRect(behind.left - 1, behind.top, 2, behind.height);
}

bool VideoSurface::gripsDivider(const QPointF& position) const {
    const auto line = divider();
    return line &&
           std::abs(position.x() * devicePixelRatio() - line->center().x()) <= kGrip * devicePixelRatio();
}

void VideoSurface::moveDivider(const QPointF& position) {
    const TargetRect& area = panes_[order_[0]]->place()->area;
    divider_ = std::clamp((position.x() * devicePixelRatio() - area.left) / area.width, 0.0, 1.0);
    arrange();
}

void VideoSurface::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / kWheelNotch;
    const auto pane = paneAt(event->position());
    if (notches == 0 || !pane || !panes_[*pane]->hasPicture()) {
        return;
    }
    if (arrangesFreely() && event->modifiers().testFlag(Qt::ControlModifier)) {
        scalePane(*pane, event->position() * devicePixelRatio(), std::pow(kZoomPerNotch, notches));
        return;
    }
    for (const std::size_t each : together(*pane)) {
        panes_[each]->zoomAt(unsqueezed(event->position() * devicePixelRatio()),
                             std::pow(kZoomPerNotch, notches));
    }
    changeView();
}

void VideoSurface::mousePressEvent(QMouseEvent* event) {
    const auto pane = paneAt(event->position());
    if (event->button() == Qt::RightButton) {
        if (pane) {
            Q_EMIT panePressed(*pane);
        }
        Q_EMIT menuWanted(event->globalPosition().toPoint());
    }
    if (event->button() != Qt::LeftButton || !pane) {
        return;
    }
    dragFrom_ = event->position();
    if (gripsDivider(event->position())) {
        drag_ = Drag::Divider;
        return;
    }
    if (takeFreePress(*pane, event->position(), event->modifiers())) {
        Q_EMIT panePressed(*pane);
        return;
    }
    if (panes_[*pane]->view().canPan()) {
        drag_ = Drag::Picture;
        dragged_ = *pane;
        setCursor(Qt::ClosedHandCursor);
    }
    Q_EMIT panePressed(*pane);
}

void VideoSurface::mouseMoveEvent(QMouseEvent* event) {
    if (drag_ == Drag::Divider && divider()) {
        moveDivider(event->position());
    } else if (drag_ == Drag::Pane || drag_ == Drag::Corner) {
        dragFree(event->position());
    } else if (drag_ == Drag::Picture && dragged_ < panes_.size()) {
        const QPointF moved = (event->position() - dragFrom_) * devicePixelRatio();
        dragFrom_ = event->position();
        for (const std::size_t each : together(dragged_)) {
            panes_[each]->view().panBy(moved.x(), moved.y());
        }
        requestUpdate();
    } else if (divider()) {
        setCursor(gripsDivider(event->position()) ? Qt::SplitHCursor : Qt::ArrowCursor);
    } else if (arrangesFreely()) {
        setCursor(cursorAt(event->position()));
    }
    Q_EMIT panePointed(paneAt(event->position()));
}

void VideoSurface::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        drag_ = Drag::Nothing;
        changeView();
    }
}

void VideoSurface::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        Q_EMIT fullscreenToggled();
    }
}

}  // namespace verbcast
