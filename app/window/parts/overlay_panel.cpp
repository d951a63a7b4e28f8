#include "app/window/parts/overlay_panel.h"

#include <QPainter>

namespace verbcast {

QImage overlayPanel(const QSize& size, double devicePixelRatio, const QColor& frame) {
    constexpr double kCorner = 6;
    QImage image(size * devicePixelRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(devicePixelRatio);
    image.fill(Qt::transparent);
    QColor ground = theme::kCanvas;
    ground.setAlpha(kOverlayOpacity);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(frame, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(0.5, 0.5, size.width() - 1, size.height() - 1), kCorner, kCorner);
    return image;
}

}  // namespace verbcast
