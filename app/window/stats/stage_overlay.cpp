#include "app/window/stats/stage_overlay.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <vector>

#include "app/window/parts/overlay_panel.h"
#include "app/window/stats/stats_text.h"
#include "app/window/style/theme.h"
#include "app/window/trust/padlock.h"

namespace verbcast {
namespace {

struct StageOverlay {
    Q_DECLARE_TR_FUNCTIONS(verbcast::StageOverlay)
};

struct Row {
    QString name;
    QString meaning;
    const Percentiles* times;
};

/// Column widths of the panel, in device-independent pixels.
struct Columns {
    int line, margin, name, meaning, number, bar;
    int width() const { return 2 * margin + name + meaning + 2 * number + bar; }
};

/// Wide enough for the texts in the user's language.
Columns columnsFor(int line, const std::vector<Row>& rows) {
    Columns columns{.line = line,
                    .margin = line * 4 / 5,
                    .name = line * 4,
                    .meaning = line * 8,
                    .number = line * 4,
                    .bar = line * 9};
    const QFontMetrics names(theme::font());
    const QFontMetrics meanings(theme::font(0.85));
    for (const Row& row : rows) {
        columns.name = std::max(columns.name, names.horizontalAdvance(row.name) + line / 2);
        columns.meaning = std::max(columns.meaning, meanings.horizontalAdvance(row.meaning) + line / 2);
    }
    return columns;
}

void paintBar(QPainter& painter, const QRectF& area, const Percentiles& times, double longest) {
    const double height = area.height();
    const double p50 = std::max(times.p50 / longest * area.width(), 1.0);
    painter.fillRect(QRectF(area.left(), area.top() + height * 0.47, area.width(), height * 0.06),
                     theme::kOverVideo.line);
    if (times.hasP99()) {
        const double p99 = std::max(times.p99 / longest * area.width(), 1.0);
        painter.fillRect(QRectF(area.left(), area.top() + height * 0.42, p99, height * 0.16),
                         theme::kOverVideo.second);
    }
    painter.fillRect(QRectF(area.left(), area.top() + height * 0.30, p50, height * 0.40),
                     theme::kOverVideo.accent);
}

void paintHeader(QPainter& painter, const Columns& columns, double y) {
    const QRectF number(columns.margin + columns.name + columns.meaning, y, columns.number, columns.line);
    painter.setFont(theme::font(1.0, QFont::DemiBold));
    painter.setPen(theme::kOverVideo.text);
    painter.drawText(QRectF(columns.margin, y, columns.name + columns.meaning, columns.line),
                     Qt::AlignVCenter, StageOverlay::tr("Stage times"));
    painter.setFont(theme::font(0.85));
    painter.setPen(theme::kOverVideo.accent);
    painter.drawText(number, Qt::AlignRight | Qt::AlignVCenter, "p50");
    painter.setPen(theme::kOverVideo.second);
    painter.drawText(number.translated(columns.number, 0), Qt::AlignRight | Qt::AlignVCenter, "p99");
}

void paintRow(QPainter& painter, const Columns& columns, double y, const Row& row, double longest) {
    const auto box = [&](int x, int width) { return QRectF(x, y, width, columns.line); };
    int x = columns.margin;
    painter.setFont(theme::font());
    painter.setPen(theme::kOverVideo.text);
    painter.drawText(box(x, columns.name), Qt::AlignVCenter, row.name);
    x += columns.name;
    painter.setPen(theme::kOverVideo.muted);
    painter.setFont(theme::font(0.85));
    painter.drawText(box(x, columns.meaning), Qt::AlignVCenter, row.meaning);
    x += columns.meaning;
    painter.setFont(theme::font());
    painter.setPen(theme::kOverVideo.text);
    const bool known = row.times->count > 0;
    painter.drawText(box(x, columns.number), Qt::AlignRight | Qt::AlignVCenter,
                     known ? durationText(row.times->p50) : kUnknown);
    x += columns.number;
    painter.drawText(box(x, columns.number), Qt::AlignRight | Qt::AlignVCenter,
                     row.times->hasP99() ? durationText(row.times->p99) : kUnknown);
    x += columns.number;
    if (known) {
        paintBar(painter, box(x + columns.line, columns.bar - columns.line), *row.times, longest);
    }
}

void paintProtection(QPainter& painter, const Columns& columns, double y, Protection protection) {
    const double line = columns.line;
    paintPadlock(painter, QRectF(columns.margin, y, line, line), protection, theme::kOverVideo);
    painter.setFont(theme::font(0.85));
    painter.setPen(protection == Protection::None ? theme::kOverVideo.warning : theme::kOverVideo.text);
    painter.drawText(
        QRectF(columns.margin + line * 1.4, y, columns.width() - 2 * columns.margin - line * 1.4, line),
        Qt::AlignVCenter, padlockMeaning({.protection = protection}));
}

QString footnote(const StageTimes& times) {
    QStringList lines{times.uploadNote.isEmpty() ? QString()
                                                 : StageOverlay::tr("Upload: %1").arg(times.uploadNote)};
    if (times.clockErrorUs > 0) {
        lines
            << StageOverlay::tr("Clocks of the two hosts agree to %1").arg(durationText(times.clockErrorUs));
    }
    lines << times.alignmentNote << times.railsNote;
    lines.removeAll(QString());
    return lines.join('\n');
}

}  // namespace

QImage renderStagePanel(const StageTimes& times, double devicePixelRatio) {
    std::vector<Row> rows{{StageOverlay::tr("Capture"), StageOverlay::tr("draw or decode"), &times.capture},
                          {StageOverlay::tr("Post"), StageOverlay::tr("wait for a credit"), &times.post},
                          {StageOverlay::tr("Wire"), StageOverlay::tr("sender to here"), &times.wire},
                          {StageOverlay::tr("Upload"), StageOverlay::tr("to the GPU"), &times.upload},
                          {StageOverlay::tr("Show"), StageOverlay::tr("arrival to screen"), &times.show}};
    if (times.input.count > 0) {
        rows.push_back({StageOverlay::tr("Input"), StageOverlay::tr("to its picture"), &times.input});
    }
    double longest = 1;
    for (const Row& row : rows) {
        longest = std::max(longest, row.times->hasP99() ? row.times->p99 : row.times->p50);
    }
    const Columns columns = columnsFor(theme::line(), rows);
    const double rowHeight = columns.line * 1.35;
    const QString note = footnote(times);
    const QFontMetrics noteMetrics(theme::font(0.8));
    const QRect noteRect = noteMetrics.boundingRect(QRect(0, 0, columns.width() - 2 * columns.margin, 1000),
                                                    Qt::TextWordWrap, note);
    const double noteHeight = note.isEmpty() ? 0 : noteRect.height() + columns.line * 0.5;
    const double protectionHeight = times.protection ? rowHeight + columns.line * 0.3 : 0;
    const double height = 2 * columns.margin + rowHeight * (rows.size() + 1) + protectionHeight + noteHeight;

    const QSize size(columns.width(), static_cast<int>(height));
    QImage image = overlayPanel(size, devicePixelRatio);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);

    double y = columns.margin;
    paintHeader(painter, columns, y);
    for (const Row& row : rows) {
        y += rowHeight;
        paintRow(painter, columns, y, row, longest);
    }
    if (times.protection) {
        y += protectionHeight;
        paintProtection(painter, columns, y, *times.protection);
    }
    painter.setFont(theme::font(0.8));
    painter.setPen(theme::kOverVideo.muted);
    painter.drawText(QRectF(columns.margin, y + rowHeight + columns.line * 0.3,
                            columns.width() - 2 * columns.margin, noteHeight),
                     Qt::TextWordWrap, note);
    return image;
}

}  // namespace verbcast
