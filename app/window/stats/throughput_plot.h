// GB/s and frames per second of the last minute, as numbers and a small plot.
#pragma once

#include <QWidget>
#include <deque>

#include "core/base/os/clock.h"

namespace verbcast {

struct Throughput {
    double gigabytesPerSecond = 0;
    double framesPerSecond = 0;  ///< that arrive
    double shownPerSecond = 0;
};

/// Turns running counters into rates. Each rate covers the second before its sample.
class ThroughputHistory {
  public:
    static constexpr TimestampNs kSpanNs = 60'000'000'000;

    struct Point {
        TimestampNs at = 0;
        Throughput rate;
    };

    /// Counters since the stream began. A falling counter starts a new history. Samples less than 0.2 s after
    /// the previous one are ignored; the first rate needs half a second.
    void add(TimestampNs now, std::uint64_t bytes, std::uint64_t frames, std::uint64_t shown = 0);
    /// Oldest first; none is older than kSpanNs.
    const std::deque<Point>& points() const { return points_; }
    Throughput latest() const { return points_.empty() ? Throughput{} : points_.back().rate; }

  private:
    struct Counters {
        TimestampNs at = 0;
        std::uint64_t bytes = 0, frames = 0, shown = 0;
    };
    std::deque<Counters> recent_;  // of the last second, and one before
    std::deque<Point> points_;
};

/// The smallest of 1, 2, 3, 4, 5, 6, 8, 10 times a power of ten that is at least `value`: the end of an axis.
double axisEnd(double value);

class ThroughputPlot : public QWidget {
    Q_OBJECT
  public:
    explicit ThroughputPlot(QWidget* parent = nullptr);
    /// Copies `history` and repaints.
    void show(const ThroughputHistory& history, TimestampNs now);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    using Rate = double Throughput::*;
    void paintCurve(class QPainter& painter, const QRectF& area, Rate rate, double end, const QColor& colour,
                    bool filled) const;

    ThroughputHistory history_;
    TimestampNs now_ = 0;
};

}  // namespace verbcast
