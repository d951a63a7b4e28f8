#include "app/window/stats/pane_label.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>

#include "app/window/parts/overlay_panel.h"
#include "app/window/stats/status_strip.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

struct PaneLabel {
    Q_DECLARE_TR_FUNCTIONS(verbcast::PaneLabel)
};

}  // namespace

QString statsLine(const StreamStats& stats, const Throughput& rate) {
    return QStringList{QString("%1 fps").arg(rate.framesPerSecond, 0, 'f', 1),
                       QString("%1 GB/s").arg(rate.gigabytesPerSecond, 0, 'f', 2), latencyText(stats.latency),
                       PaneLabel::tr("%1 dropped").arg(stats.framesDropped)}
        .join("   ");
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
