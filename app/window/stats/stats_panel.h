// Sending statistics: throughput, and each receiver's drops and latency.
#pragma once

#include <QTableWidget>
#include <QWidget>

#include "app/window/stats/sender_stats.h"
#include "app/window/stats/status_strip.h"
#include "app/window/stats/throughput_plot.h"

namespace verbcast {

class StatsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit StatsPanel(QWidget* parent = nullptr);
    void show(const SenderStats& stats);
    /// Call when nothing is sent (any more).
    void clear();

  private:
    void makeTable();
    void showReceivers(const std::vector<SenderStats::Receiver>& receivers);

    MetricCell* framesPerSecond_;
    MetricCell* throughput_;
    MetricCell* latency_;
    MetricCell* frames_;
    MetricCell* dropped_;
    MetricCell* decoder_;  // hidden while nothing is decoded
    ThroughputPlot* plot_;
    QTableWidget* receivers_;
    ThroughputHistory history_;
};

}  // namespace verbcast
