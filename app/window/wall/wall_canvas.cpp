#include "app/window/wall/wall_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/window/style/theme.h"
#include "core/video/video_format.h"

namespace verbcast {
namespace {

constexpr double kSnap = 8;    // device-independent pixels
constexpr double kHandle = 5;  // half the size of a corner's handle
constexpr int kLargeStep = 10;

QRect toQt(const FrameRect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

}  // namespace

WallCanvas::WallCanvas(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("The wall"));
    setToolTip(
        tr("Drag a display, or use arrow keys (Shift: by ten); drag a corner to resize it. Page Down: the "
           "next"));
    setMinimumSize(theme::line() * 20, theme::line() * 12);
}

QSize WallCanvas::sizeHint() const {
    return {theme::line() * 40, theme::line() * 26};
}

void WallCanvas::setWall(const Wall* wall) {
    wall_ = wall;
    if (chosen_ && *chosen_ >= wall->displays.size()) {
        chosen_.reset();
    }
    update();
}

void WallCanvas::setPicture(const QImage& picture) {
    picture_ = picture;
    update();
}

void WallCanvas::choose(std::optional<std::size_t> display) {
    if (display != chosen_) {
        chosen_ = display;
        update();
        Q_EMIT displayChosen();
    }
}

QRectF WallCanvas::canvasArea() const {
    const double margin = theme::line();
    const QRectF room = QRectF(rect()).adjusted(margin, margin, -margin, -margin);
    const QSizeF size = QSizeF(wall_->width, wall_->height).scaled(room.size(), Qt::KeepAspectRatio);
    return {room.center() - QPointF(size.width() / 2, size.height() / 2), size};
}

QRectF WallCanvas::pictureArea(const QRectF& canvas) const {
    if (wall_->fit == CanvasFit::Stretch || !wall_->sources.empty()) {
        return canvas;
    }
    const auto mode = wall_->fit == CanvasFit::Fit ? Qt::KeepAspectRatio : Qt::KeepAspectRatioByExpanding;
    const QSizeF size = QSizeF(picture_.size()).scaled(canvas.size(), mode);
    return {canvas.center() - QPointF(size.width() / 2, size.height() / 2), size};
}

double WallCanvas::scale() const {
    return canvasArea().width() / wall_->width;
}

QRectF WallCanvas::areaOf(const FrameRect& rect) const {
    const double factor = scale();
    return {canvasArea().topLeft() + QPointF(rect.x, rect.y) * factor,
            QSizeF(rect.width, rect.height) * factor};
}

void WallCanvas::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme::kCanvas);
    if (wall_ == nullptr || wall_->width == 0) {
        return;
    }
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const QRectF area = canvasArea();
    painter.fillRect(area, theme::kOverVideo.surface);
    if (!picture_.isNull()) {
        painter.setClipRect(area);
        painter.drawImage(pictureArea(area), picture_);
        painter.setClipping(false);
    }
    painter.setPen(QPen(theme::kOverVideo.edge, 1, Qt::DashLine));
    painter.drawRect(area);
    for (std::size_t i = 0; i < wall_->displays.size(); ++i) {
        if (i != chosen_) {
            paintDisplay(painter, wall_->displays[i], false);
        }
    }
    paintSources(painter);
    if (chosen_) {
        paintDisplay(painter, wall_->displays[*chosen_], true);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme::kOverVideo.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void WallCanvas::paintDisplay(QPainter& painter, const WallDisplay& display, bool isChosen) const {
    const auto& colours = theme::kOverVideo;
    const QRectF area = areaOf(display.rectangle);
    const QColor& line = isChosen ? colours.accent : colours.third;
    QColor veil = line;
    veil.setAlphaF(picture_.isNull() ? 0.22F : 0.12F);
    painter.fillRect(area, veil);
    QColor blend = colours.second;
    blend.setAlphaF(0.3F);
    const double factor = scale();
    const EdgeBlend& fade = display.blend;
    painter.fillRect(QRectF(area.left(), area.top(), fade.left * factor, area.height()), blend);
    painter.fillRect(
        QRectF(area.right() - fade.right * factor, area.top(), fade.right * factor, area.height()), blend);
    painter.fillRect(QRectF(area.left(), area.top(), area.width(), fade.top * factor), blend);
    painter.fillRect(
        QRectF(area.left(), area.bottom() - fade.bottom * factor, area.width(), fade.bottom * factor), blend);
    painter.setPen(QPen(line, isChosen ? 2 : 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
    // Marks the side of the picture that is at the unrotated screen's top.
    const std::array<QLineF, 4> sides{
        QLineF(area.topLeft(), area.topRight()), QLineF(area.bottomLeft(), area.topLeft()),
        QLineF(area.bottomRight(), area.bottomLeft()), QLineF(area.topRight(), area.bottomRight())};
    if (display.rotation != 0) {
        painter.setPen(QPen(line, 5));
        painter.drawLine(sides.at(display.rotation / 90));
    }
    QString text = QString::fromStdString(display.name);
    text += QString("\n%1x%2").arg(display.rectangle.width).arg(display.rectangle.height);
    if (display.warps()) {
        text += "\n" + tr("warped");
    }
    QFont words = theme::font(1.0, isChosen ? QFont::DemiBold : QFont::Normal);
    painter.setFont(words);
    const QRectF needed = painter.boundingRect(area, Qt::AlignCenter, text).adjusted(-8, -4, 8, 4);
    if (needed.width() <= area.width() && needed.height() <= area.height()) {
        QColor ground = theme::kCanvas;
        ground.setAlphaF(0.7F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ground);
        painter.drawRoundedRect(needed, 4, 4);
        painter.setPen(colours.text);
        painter.drawText(area, Qt::AlignCenter, text);
    }
    if (isChosen) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(line);
        for (const QPointF& corner :
             {area.topLeft(), area.topRight(), area.bottomLeft(), area.bottomRight()}) {
            painter.drawRect(QRectF(corner - QPointF(kHandle, kHandle), QSizeF(2 * kHandle, 2 * kHandle)));
        }
        painter.setBrush(Qt::NoBrush);
    }
}

void WallCanvas::paintSources(QPainter& painter) const {
    const QColor& line = theme::kOverVideo.second;
    painter.setFont(theme::font(0.85));
    for (const WallSource& source : wall_->sources) {
        const QRectF area = areaOf(source.rectangle);
        painter.setPen(QPen(line, 1.5, Qt::DashLine));
        painter.drawRect(area);
        painter.setPen(line);
        painter.drawText(area.adjusted(6, 4, -6, -4), Qt::AlignLeft | Qt::AlignTop,
                         QString::fromStdString(source.name));
    }
}

/// Where displays overlap, the smallest one, so that all can be reached.
std::optional<std::size_t> WallCanvas::displayAt(const QPointF& position) const {
    std::optional<std::size_t> found;
    double least = 0;
    for (std::size_t i = 0; i < wall_->displays.size(); ++i) {
        const QRectF area = areaOf(wall_->displays[i].rectangle);
        const double size = area.width() * area.height();
        if (area.contains(position) && (!found || size < least)) {
            found = i;
            least = size;
        }
    }
    return found;
}

QPoint WallCanvas::cornerAt(const QPointF& position) const {
    if (!chosen_) {
        return {};
    }
    const QRectF area = areaOf(wall_->displays[*chosen_].rectangle);
    for (const int x : {-1, 1}) {
        for (const int y : {-1, 1}) {
            const QPointF corner(x < 0 ? area.left() : area.right(), y < 0 ? area.top() : area.bottom());
            const QPointF away = position - corner;
            if (std::max(std::abs(away.x()), std::abs(away.y())) <= 2 * kHandle) {
                return {x, y};
            }
        }
    }
    return {};
}

void WallCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || wall_ == nullptr) {
        return;
    }
    const QPoint corner = cornerAt(event->position());
    if (corner.isNull()) {
        choose(displayAt(event->position()));
    }
    if (chosen_) {
        drag_ = Drag{event->position(), toQt(wall_->displays[*chosen_].rectangle), corner};
    }
}

void WallCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (wall_ == nullptr) {
        return;
    }
    if (!drag_) {
        const QPoint corner = cornerAt(event->position());
        setCursor(corner.isNull() ? (displayAt(event->position()) ? Qt::OpenHandCursor : Qt::ArrowCursor)
                  : corner.x() == corner.y() ? Qt::SizeFDiagCursor
                                             : Qt::SizeBDiagCursor);
        return;
    }
    const QPoint by = ((event->position() - drag_->from) / scale()).toPoint();
    want(drag_->corner.isNull() ? moved(by) : resized(by));
}

void WallCanvas::mouseReleaseEvent(QMouseEvent* /*event*/) {
    drag_.reset();
}

/// Snaps to the nearest edge of another display or of the canvas, if one is near.
int WallCanvas::snapped(int edge, bool across) const {
    int best = edge;
    double nearest = kSnap / scale();
    const auto look = [&](std::uint32_t at) {
        const double distance = std::abs(static_cast<double>(at) - edge);
        if (distance < nearest) {
            nearest = distance;
            best = static_cast<int>(at);
        }
    };
    look(0);
    look(across ? wall_->width : wall_->height);
    for (std::size_t i = 0; i < wall_->displays.size(); ++i) {
        if (i != chosen_) {
            const FrameRect& rect = wall_->displays[i].rectangle;
            look(across ? rect.x : rect.y);
            look(across ? std::uint32_t{rect.x} + rect.width : std::uint32_t{rect.y} + rect.height);
        }
    }
    return best;
}

QRect WallCanvas::moved(const QPoint& by) const {
    QRect rect = drag_->rectangle.translated(by);
    const auto align = [this](int begin, int length, bool across) {
        const int first = snapped(begin, across), last = snapped(begin + length, across);
        return first != begin ? first : last - length;
    };
    rect.moveTo(align(rect.x(), rect.width(), true), align(rect.y(), rect.height(), false));
    return rect;
}

QRect WallCanvas::resized(const QPoint& by) const {
    const QRect& was = drag_->rectangle;
    int left = was.x(), top = was.y(), right = was.x() + was.width(), bottom = was.y() + was.height();
    constexpr int kLeast = static_cast<int>(kMinDimension);
    if (drag_->corner.x() < 0) {
        left = std::min(snapped(left + by.x(), true), right - kLeast);
    } else {
        right = std::max(snapped(right + by.x(), true), left + kLeast);
    }
    if (drag_->corner.y() < 0) {
        top = std::min(snapped(top + by.y(), false), bottom - kLeast);
    } else {
        bottom = std::max(snapped(bottom + by.y(), false), top + kLeast);
    }
    return {left, top, right - left, bottom - top};
}

/// Keeps the rectangle within the canvas.
void WallCanvas::want(QRect rectangle) {
    const int width = static_cast<int>(wall_->width), height = static_cast<int>(wall_->height);
    rectangle.setWidth(std::min(rectangle.width(), width));
    rectangle.setHeight(std::min(rectangle.height(), height));
    rectangle.moveTo(std::clamp(rectangle.x(), 0, width - rectangle.width()),
                     std::clamp(rectangle.y(), 0, height - rectangle.height()));
    const FrameRect wanted{
        static_cast<std::uint16_t>(rectangle.x()), static_cast<std::uint16_t>(rectangle.y()),
        static_cast<std::uint16_t>(rectangle.width()), static_cast<std::uint16_t>(rectangle.height())};
    if (chosen_ && wanted != wall_->displays[*chosen_].rectangle) {
        Q_EMIT rectangleWanted(wanted);
    }
}

void WallCanvas::keyPressEvent(QKeyEvent* event) {
    const int step = (event->modifiers() & Qt::ShiftModifier) != 0 ? kLargeStep : 1;
    QPoint by;
    switch (event->key()) {
        case Qt::Key_Left:
            by = {-step, 0};
            break;
        case Qt::Key_Right:
            by = {step, 0};
            break;
        case Qt::Key_Up:
            by = {0, -step};
            break;
        case Qt::Key_Down:
            by = {0, step};
            break;
        case Qt::Key_PageDown:
            return chooseNext(true);
        case Qt::Key_PageUp:
            return chooseNext(false);
        case Qt::Key_Delete:
            if (chosen_) {
                Q_EMIT removeWanted();
            }
            return;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    if (chosen_) {
        want(toQt(wall_->displays[*chosen_].rectangle).translated(by));
    }
}

/// Wraps around.
void WallCanvas::chooseNext(bool next) {
    const std::size_t count = wall_ != nullptr ? wall_->displays.size() : 0;
    if (count > 0) {
        choose(!chosen_ ? (next ? 0 : count - 1) : (*chosen_ + (next ? 1 : count - 1)) % count);
    }
}

}  // namespace verbcast
