#include "app/window/picture/overlays.h"

#include <QPainter>
#include <QRegion>
#include <algorithm>
#include <cmath>

#include "app/window/style/theme.h"

namespace verbcast {
namespace {

constexpr int kFrameWidth = 2;  // device pixels

double ratioOf(const QPainter& painter) {
    return painter.device()->devicePixelRatioF();
}

QRectF inWindow(const QRect& area, double ratio) {
    return {area.x() / ratio, area.y() / ratio, area.width() / ratio, area.height() / ratio};
}

/// Paints with device pixels as the painter's unit.
void inDevicePixels(QPainter& painter, const auto& paint) {
    painter.save();
    painter.scale(1 / ratioOf(painter), 1 / ratioOf(painter));
    paint();
    painter.restore();
}

void paintCentred(QPainter& painter, const QRectF& area, const QImage& image) {
    const QSizeF size = image.deviceIndependentSize();
    painter.drawImage(QPointF(std::round(area.x() + (area.width() - size.width()) / 2),
                              std::round(area.y() + (area.height() - size.height()) / 2)),
                      image);
}

void paintFrame(QPainter& painter, const QRect& area, const QRect& window) {
    const QRect outer =
        area.adjusted(-kFrameWidth, -kFrameWidth, kFrameWidth, kFrameWidth).intersected(window);
    const QRegion frame =
        QRegion(outer) - outer.adjusted(kFrameWidth, kFrameWidth, -kFrameWidth, -kFrameWidth);
    for (const QRect& side : frame) {
        painter.fillRect(side, theme::kOverVideo.accent);
    }
}

void paintPane(QPainter& painter, const PaneOverlay& pane, const QRegion& above, const QRect& window) {
    const QRectF area = inWindow(pane.area, ratioOf(painter));
    inDevicePixels(painter, [&] {
        if (!pane.message.isNull()) {
            for (const QRect& part : QRegion(pane.area) - above) {
                painter.fillRect(part, theme::kDimming);
            }
        }
        if (pane.framed) {
            paintFrame(painter, pane.area, window);
        }
    });
    if (!pane.message.isNull()) {
        paintCentred(painter, area, pane.message);
    }
    if (!pane.label.isNull()) {
        const double margin = theme::line() / 3.0;
        const double height = pane.label.deviceIndependentSize().height();
        painter.drawImage(QPointF(std::round(area.x() + margin), std::round(area.bottom() - height - margin)),
                          pane.label);
    }
}

}  // namespace

void paintOverlays(QPainter& painter, const QSize& size, const std::vector<PaneOverlay>& panes,
                   const WindowOverlay& window) {
    const QRect whole(QPoint(), size * ratioOf(painter));
    for (std::size_t i = 0; i < panes.size(); ++i) {
        if (panes[i].any()) {
            QRegion above;
            for (std::size_t j = i + 1; j < panes.size(); ++j) {
                above += panes[j].area;
            }
            paintPane(painter, panes[i], above, whole);
        }
    }
    if (!window.divider.isNull()) {
        inDevicePixels(painter, [&] { painter.fillRect(window.divider, theme::kOverVideo.text); });
    }
    const int margin = theme::line();
    if (!window.stagePanel.isNull()) {
        const QSizeF panel = window.stagePanel.deviceIndependentSize();
        const QRectF area = inWindow(window.panelArea, ratioOf(painter));
        // Keep the whole panel readable, even if its picture is smaller.
        painter.drawImage(
            QPointF(
                std::round(std::max(std::min(area.x(), size.width() - panel.width() - 2 * margin), 0.0)) +
                    margin,
                std::round(std::max(std::min(area.y(), size.height() - panel.height() - 2 * margin), 0.0)) +
                    margin),
            window.stagePanel);
    }
    if (!window.meters.isNull()) {
        const QSizeF meters = window.meters.deviceIndependentSize();
        const QRectF area = inWindow(window.metersArea, ratioOf(painter));
        painter.drawImage(QPointF(std::round(std::max(area.right() - meters.width() - margin, 0.0)),
                                  std::round(std::max(area.bottom() - meters.height() - margin, 0.0))),
                          window.meters);
    }
    if (!window.comparison.isNull()) {
        const double width = window.comparison.deviceIndependentSize().width();
        painter.drawImage(QPointF(std::round((size.width() - width) / 2), margin), window.comparison);
    }
    if (!window.toast.isNull()) {
        const QSizeF toast = window.toast.deviceIndependentSize();
        painter.drawImage(QPointF(std::round((size.width() - toast.width()) / 2),
                                  std::round(size.height() - toast.height() - margin)),
                          window.toast);
    }
    if (!window.warning.isNull()) {
        const double width = window.warning.deviceIndependentSize().width();
        painter.drawImage(QPointF(std::round(size.width() - width - margin), margin), window.warning);
    }
}

}  // namespace verbcast
