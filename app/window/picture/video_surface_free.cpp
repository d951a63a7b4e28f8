// The free layout of a surface: moves, scales and stacks panes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/window/picture/video_surface.h"

namespace verbcast {
namespace {

constexpr double kCornerGrip = 14;   // grip range around a corner, in device-independent pixels
constexpr double kStaysInside = 24;  // part of a pane that always stays inside to be grabbed, likewise

}  // namespace

bool VideoSurface::arrangesFreely() const {
    return layout_->way == LayoutWay::Free && panes_.size() > 1 && !solo_;
}

void VideoSurface::setPanes(std::vector<PanePlace> panes) {
    free_ = std::move(panes);
    arrange();
}

/// Fixes the places of all panes shown from now on.
PanePlace& VideoSurface::freePlace(std::size_t pane) {
    const QSize pixels = pixelSize();
    for (const std::size_t each : order_) {
        const auto known = [&](const PanePlace& place) { return place.stream == each; };
        if (std::ranges::none_of(free_, known)) {
            const TargetRect& area = panes_[each]->place()->clip;
            free_.push_back({.stream = each,
                             .left = static_cast<double>(area.left) / pixels.width(),
                             .top = static_cast<double>(area.top) / pixels.height(),
                             .width = static_cast<double>(area.width) / pixels.width()});
        }
    }
    return *std::ranges::find(free_, pane, &PanePlace::stream);
}

void VideoSurface::forgetPane(std::size_t pane) {
    std::erase_if(free_, [&](const PanePlace& place) { return place.stream == pane; });
    for (PanePlace& place : free_) {
        place.stream -= place.stream > pane ? 1 : 0;
    }
}

void VideoSurface::raise() {
    if (arrangesFreely()) {
        const auto at = free_.begin() + (&freePlace(focus_) - free_.data());
        std::rotate(at, at + 1, free_.end());
        arrange();
    }
}

void VideoSurface::lower() {
    if (arrangesFreely()) {
        const auto at = free_.begin() + (&freePlace(focus_) - free_.data());
        std::rotate(free_.begin(), at, at + 1);
        arrange();
    }
}

void VideoSurface::changeOpacity(double by) {
    if (arrangesFreely()) {
        PanePlace& place = freePlace(focus_);
        place.opacity = std::clamp(place.opacity + by, kMinPaneOpacity, 1.0);
        arrange();
    }
}

void VideoSurface::toggleAlpha() {
    if (arrangesFreely()) {
        PanePlace& place = freePlace(focus_);
        place.alpha = !place.alpha;
        arrange();
    }
}

/// The corner that stays fixed, in device pixels, when the one at this position is dragged.
std::optional<QPointF> VideoSurface::oppositeCorner(std::size_t pane, const QPointF& position) const {
    const TargetRect& area = panes_[pane]->place()->clip;
    const QPointF at = position * devicePixelRatio();
    const double grip = kCornerGrip * devicePixelRatio();
    const double right = area.left + area.width, bottom = area.top + area.height;
    const bool atLeft = std::abs(at.x() - area.left) <= grip, atRight = std::abs(at.x() - right) <= grip;
    const bool atTop = std::abs(at.y() - area.top) <= grip, atBottom = std::abs(at.y() - bottom) <= grip;
    if ((!atLeft && !atRight) || (!atTop && !atBottom)) {
        return std::nullopt;
    }
    return QPointF(atRight ? area.left : right, atBottom ? area.top : bottom);
}

Qt::CursorShape VideoSurface::cursorAt(const QPointF& position) const {
    const auto pane = paneAt(position);
    if (!pane) {
        return Qt::ArrowCursor;
    }
    const auto fixed = oppositeCorner(*pane, position);
    if (!fixed) {
        return Qt::SizeAllCursor;
    }
    const QPointF from = position * devicePixelRatio() - *fixed;
    return (from.x() > 0) == (from.y() > 0) ? Qt::SizeFDiagCursor : Qt::SizeBDiagCursor;
}

/// With Shift the picture moves within its pane, as in the other layouts.
bool VideoSurface::takeFreePress(std::size_t pane, const QPointF& position, Qt::KeyboardModifiers modifiers) {
    if (!arrangesFreely() || modifiers.testFlag(Qt::ShiftModifier)) {
        return false;
    }
    const auto fixed = oppositeCorner(pane, position);
    drag_ = fixed ? Drag::Corner : Drag::Pane;
    fixedCorner_ = fixed.value_or(QPointF());
    dragged_ = pane;
    static_cast<void>(freePlace(pane));
    return true;
}

void VideoSurface::dragFree(const QPointF& position) {
    if (!arrangesFreely() || dragged_ >= panes_.size()) {
        return;
    }
    const QPointF from = dragFrom_ * devicePixelRatio(), to = position * devicePixelRatio();
    if (drag_ == Drag::Corner) {
        // The change of the pointer's distance from the fixed corner, along the diagonal.
        const QPointF before = from - fixedCorner_, after = to - fixedCorner_;
        const double length = std::hypot(before.x(), before.y());
        const double along =
            (after.x() * before.x() + after.y() * before.y()) / std::max(length * length, 1.0);
        scalePane(dragged_, fixedCorner_, std::max(along, 0.01));
    } else {
        PanePlace& place = freePlace(dragged_);
        const QSize pixels = pixelSize();
        const TargetRect& area = panes_[dragged_]->place()->clip;
        const double inside = kStaysInside * devicePixelRatio();
        const double left = area.left + to.x() - from.x(), top = area.top + to.y() - from.y();
        place.left =
            std::clamp(left, std::min(inside - area.width, 0.0), std::max(pixels.width() - inside, 0.0)) /
            pixels.width();
        place.top =
            std::clamp(top, std::min(inside - area.height, 0.0), std::max(pixels.height() - inside, 0.0)) /
            pixels.height();
        arrange();
    }
    dragFrom_ = position;
}

/// `fixed`: the point that stays in place, in device pixels.
void VideoSurface::scalePane(std::size_t pane, const QPointF& fixed, double factor) {
    PanePlace& place = freePlace(pane);
    const QSize pixels = pixelSize();
    const double width = std::clamp(place.width * factor, kMinPaneWidth, kMaxPaneWidth);
    const double scale = width / place.width;
    const QPointF corner(place.left * pixels.width(), place.top * pixels.height());
    const QPointF moved = fixed + (corner - fixed) * scale;
    place.left = moved.x() / pixels.width();
    place.top = moved.y() / pixels.height();
    place.width = width;
    place.height *= scale;
    arrange();
}

}  // namespace verbcast
