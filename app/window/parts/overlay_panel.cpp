#include "app/window/parts/overlay_panel.h"

#include <QFontMetrics>
#include <QPainter>

#include "app/window/style/theme.h"

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

QImage renderPaneLabel(const QString& text, bool hasFocus, int maximumWidth, double devicePixelRatio) {
    const int margin = theme::line() / 2;
    if (text.isEmpty() || maximumWidth <= 4 * margin) {
        return {};
    }
    const QFont font = theme::font(0.92, hasFocus ? QFont::DemiBold : QFont::Normal);
    const QFontMetrics metrics(font);
    const QString shown = metrics.elidedText(text, Qt::ElideRight, maximumWidth - 2 * margin);
    const QSize size(metrics.horizontalAdvance(shown) + 2 * margin, theme::line() * 3 / 2);
    QImage image =
        overlayPanel(size, devicePixelRatio, hasFocus ? theme::kOverVideo.accent : theme::kOverVideo.line);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font);
    painter.setPen(hasFocus ? theme::kOverVideo.accent : theme::kOverVideo.text);
    painter.drawText(QRect(margin, 0, size.width() - 2 * margin, size.height()), Qt::AlignVCenter, shown);
    return image;
}

}  // namespace verbcast
