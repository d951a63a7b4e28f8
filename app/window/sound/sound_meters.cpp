#include "app/window/sound/sound_meters.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/window/parts/overlay_panel.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

struct MeterText {
    Q_DECLARE_TR_FUNCTIONS(verbcast::MeterText)
};

constexpr double kFallPerSecond = 20 / 1.7;  // dB
constexpr TimestampNs kHighestStays = 1'500'000'000;
constexpr TimestampNs kLampStays = 3'000'000'000;
constexpr std::array kMarks{0, -6, -12, -18, -24, -30, -40, -50, -60};
// Where bars change their colour: EBU R 68 lines up at -18 dB, and allows programmes up to -9 dB.
constexpr double kLoud = -18, kTooLoud = -9;

double decibels(float peak) {
    return peak > 0 ? std::clamp(20 * std::log10(static_cast<double>(peak)), SoundMeters::kFloor, 0.0)
                    : SoundMeters::kFloor;
}

/// Of the panel, in device-independent pixels.
struct Places {
    QSize size;
    QRectF scale;  // of all bars
    double bar, gap, lamp;

    double y(double level) const { return scale.top() + scale.height() * level / SoundMeters::kFloor; }
    QRectF column(std::size_t index, double top, double bottom) const {
        return {scale.left() + static_cast<double>(index) * (bar + gap), top, bar, bottom - top};
    }
};

Places placesFor(std::size_t bars, int numbers, int height) {
    const int line = theme::line();
    Places places{.size = {},
                  .scale = {},
                  .bar = line * (bars > 8 ? 0.5 : 0.8),
                  .gap = line * 0.2,
                  .lamp = line * 0.25};
    const double width = static_cast<double>(bars) * (places.bar + places.gap) - places.gap;
    const double margin = line * 0.6;
    const double top = margin + line + 2 * places.lamp;
    places.scale = QRectF(margin + numbers + line * 0.3, top, width, height - top - margin - line);
    const int least = QFontMetrics(theme::font(0.78)).horizontalAdvance("dBFS");
    places.size = QSize(static_cast<int>(std::max(places.scale.right(), margin + least) + margin), height);
    return places;
}

void paintScale(QPainter& painter, const Places& places, int line) {
    painter.setFont(theme::font(0.78));
    painter.setPen(theme::kOverVideo.muted);
    const double left = line * 0.6;
    painter.drawText(QRectF(left, line * 0.4, places.size.width(), line), Qt::AlignVCenter, "dBFS");
    for (const int mark : kMarks) {
        const double y = places.y(mark);
        painter.drawText(QRectF(left, y - line / 2.0, places.scale.left() - left - line * 0.3, line),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(mark));
        painter.fillRect(QRectF(places.scale.left(), y, places.scale.width(), 1), theme::kOverVideo.line);
    }
}

/// The part of a bar between these levels.
void paintPart(QPainter& painter, const Places& places, std::size_t index, double level, double from,
               double to, const QColor& colour) {
    if (level > from) {
        painter.fillRect(places.column(index, places.y(std::min(level, to)), places.y(from)), colour);
    }
}

}  // namespace

void SoundMeters::add(const std::vector<float>& peaks, TimestampNs now) {
    const double fall = at_ == 0 ? 0 : static_cast<double>(now - at_) * 1e-9 * kFallPerSecond;
    at_ = now;
    if (!peaks.empty() && peaks.size() != channels_) {
        channels_ = peaks.size();
        bars_.assign(std::min(channels_, kMaxBars), {});
    }
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        Bar& bar = bars_[i];
        const float peak = i < peaks.size() ? peaks[i] : 0;
        bar.level = std::max(decibels(peak), std::max(bar.level - fall, kFloor));
        if (bar.level >= bar.highest || now - bar.highestAt > kHighestStays) {
            bar.highest = bar.level;
            bar.highestAt = now;
        }
        bar.clippedAt = peak >= 1 ? now : bar.clippedAt;
    }
}

QImage SoundMeters::render(int maximumHeight, double devicePixelRatio) const {
    const int line = theme::line();
    const int height = std::min(maximumHeight, line * 14);
    if (height < line * 8) {
        return {};
    }
    if (bars_.empty()) {
        return renderPaneLabel(MeterText::tr("No sound"), false, line * 20, devicePixelRatio);
    }
    const Places places =
        placesFor(bars_.size(), QFontMetrics(theme::font(0.78)).horizontalAdvance("-60"), height);
    QImage image = overlayPanel(places.size, devicePixelRatio);
    QPainter painter(&image);
    paintScale(painter, places, line);
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const Bar& bar = bars_[i];
        paintPart(painter, places, i, bar.level, kFloor, kLoud, theme::kOverVideo.accent);
        paintPart(painter, places, i, bar.level, kLoud, kTooLoud, theme::kOverVideo.second);
        paintPart(painter, places, i, bar.level, kTooLoud, 0, theme::kOverVideo.recording);
        if (bar.highest > kFloor) {
            const double y = places.y(bar.highest);
            painter.fillRect(places.column(i, y, y + 2), theme::kOverVideo.text);
        }
        const bool clipped = bar.clippedAt != 0 && at_ - bar.clippedAt < kLampStays;
        const double lamp = places.scale.top() - 2 * places.lamp;
        painter.fillRect(places.column(i, lamp, lamp + places.lamp),
                         clipped ? theme::kOverVideo.recording : theme::kOverVideo.line);
        painter.setPen(theme::kOverVideo.muted);
        painter.setFont(theme::font(bars_.size() > 9 ? 0.55 : 0.78));
        painter.drawText(places.column(i, places.scale.bottom(), places.scale.bottom() + line)
                             .adjusted(-places.gap, 0, places.gap, 0),
                         Qt::AlignCenter, QString::number(i + 1));
    }
    return image;
}

}  // namespace verbcast
