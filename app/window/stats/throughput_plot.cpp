#include "app/window/stats/throughput_plot.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "app/window/style/theme.h"

namespace verbcast {
namespace {

constexpr TimestampNs kRateWindowNs = 1'000'000'000;
constexpr TimestampNs kSamplePeriodNs = 200'000'000;
constexpr double kMinRateSeconds = 0.45;  // over less, a single frame shows as a spike
constexpr double kOvershoot = 1.08;

QString axisText(double end, const char* unit) {
    return QString("%1 %2").arg(end, 0, 'g', 3).arg(unit);
}

}  // namespace

void ThroughputHistory::add(TimestampNs now, std::uint64_t bytes, std::uint64_t frames, std::uint64_t shown) {
    if (!recent_.empty() &&
        (bytes < recent_.back().bytes || frames < recent_.back().frames || shown < recent_.back().shown)) {
        recent_.clear();
        points_.clear();
    }
    if (!recent_.empty() && now - recent_.back().at < kSamplePeriodNs) {
        return;
    }
    recent_.push_back({.at = now, .bytes = bytes, .frames = frames, .shown = shown});
    while (recent_.size() > 2 && recent_[1].at <= now - kRateWindowNs) {
        recent_.pop_front();
    }
    const Counters& base = recent_.front();
    if (const double seconds = static_cast<double>(now - base.at) * 1e-9; seconds >= kMinRateSeconds) {
        points_.push_back(
            {.at = now,
             .rate = {.gigabytesPerSecond = static_cast<double>(bytes - base.bytes) * 1e-9 / seconds,
                      .framesPerSecond = static_cast<double>(frames - base.frames) / seconds,
                      .shownPerSecond = static_cast<double>(shown - base.shown) / seconds}});
    }
    while (!points_.empty() && points_.front().at < now - kSpanNs) {
        points_.pop_front();
    }
}

double axisEnd(double value) {
    if (value <= 0) {
        return 1;
    }
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
        if (value <= step * power * (1 + 1e-9)) {
            return step * power;
        }
    }
    return 10 * power;
}

ThroughputPlot::ThroughputPlot(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    setAccessibleName(tr("Throughput plot"));
    setToolTip(tr("Throughput and frame rate of the last 60 seconds"));
}

void ThroughputPlot::show(const ThroughputHistory& history, TimestampNs now) {
    history_ = history;
    now_ = now;
    update();
}

QSize ThroughputPlot::sizeHint() const {
    return {theme::line() * 20, theme::line() * 3};
}

void ThroughputPlot::paintEvent(QPaintEvent* /*event*/) {
    if (width() < sizeHint().width() / 2) {
        return;  // a narrow window has room only for the numbers
    }
    Throughput peak;
    for (const auto& point : history_.points()) {
        peak.gigabytesPerSecond = std::max(peak.gigabytesPerSecond, point.rate.gigabytesPerSecond);
        peak.framesPerSecond = std::max(peak.framesPerSecond, point.rate.framesPerSecond);
    }
    // Lets a curve exceed the axis a little, so that a steady 60 fps with jitter does not get an axis to 80.
    const double bytesEnd = axisEnd(peak.gigabytesPerSecond / kOvershoot);
    const double framesEnd = axisEnd(peak.framesPerSecond / kOvershoot);

    const theme::Colours& colours = theme::colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme::font(0.72));
    const QFontMetrics metrics(painter.font());
    const QString bytesText = axisText(bytesEnd, "GB/s"), framesText = axisText(framesEnd, "fps");
    const int side = std::max({metrics.horizontalAdvance("0.75 GB/s"), metrics.horizontalAdvance(bytesText),
                               metrics.horizontalAdvance(framesText)}) +
                     metrics.averageCharWidth();
    const QRectF area =
        QRectF(rect()).adjusted(side, metrics.height() * 0.4, -side, -metrics.height() * 1.15);

    painter.setPen(QPen(colours.line, 1));
    for (const double part : {0.0, 0.5, 1.0}) {
        const double y = std::round(area.bottom() - part * area.height()) + 0.5;
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    paintCurve(painter, area, &Throughput::gigabytesPerSecond, bytesEnd, colours.accent, true);
    paintCurve(painter, area, &Throughput::framesPerSecond, framesEnd, colours.second, false);

    const double half = metrics.height() / 2.0;
    const double gap = metrics.averageCharWidth() * 0.8;
    const QRectF left(0, area.top() - half, side - gap, metrics.height());
    const QRectF right(area.right() + gap, area.top() - half, side, metrics.height());
    painter.setPen(colours.accent);
    painter.drawText(left, Qt::AlignRight | Qt::AlignVCenter, bytesText);
    painter.drawText(left.translated(0, area.height()), Qt::AlignRight | Qt::AlignVCenter, "0");
    painter.setPen(colours.second);
    painter.drawText(right, Qt::AlignLeft | Qt::AlignVCenter, framesText);
    painter.drawText(right.translated(0, area.height()), Qt::AlignLeft | Qt::AlignVCenter, "0");
    painter.setPen(colours.muted);
    const QRectF below(area.left(), area.bottom() + 1, area.width(), metrics.height());
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, tr("60 s ago"));
    painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, tr("now"));
}

void ThroughputPlot::paintCurve(QPainter& painter, const QRectF& area, Rate rate, double end,
                                const QColor& colour, bool filled) const {
    QPolygonF line;
    for (const auto& point : history_.points()) {
        const double age = static_cast<double>(now_ - point.at) / ThroughputHistory::kSpanNs;
        const double height = std::clamp(point.rate.*rate / end, 0.0, kOvershoot);
        line << QPointF(area.right() - age * area.width(), area.bottom() - height * area.height());
    }
    if (line.size() < 2) {
        return;
    }
    if (filled) {
        QPolygonF under = line;
        under << QPointF(line.last().x(), area.bottom()) << QPointF(line.first().x(), area.bottom());
        QColor shade = colour;
        shade.setAlpha(50);
        painter.setPen(Qt::NoPen);
        painter.setBrush(shade);
        painter.drawPolygon(under);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1.4));
    painter.drawPolyline(line);
}

}  // namespace verbcast
