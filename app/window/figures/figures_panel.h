// Sending statistics: throughput, and each receiver's drops and latency.
#pragma once

#include <QTableWidget>
#include <QWidget>

#include "app/window/figures/sender_figures.h"
#include "app/window/figures/status_strip.h"
#include "app/window/figures/throughput_plot.h"

namespace verbcast {

class FiguresPanel : public QWidget {
    Q_OBJECT
  public:
    explicit FiguresPanel(QWidget* parent = nullptr);
    void show(const SenderFigures& figures);
    /// Call when nothing is sent (any more).
    void clear();

  private:
    void makeTable();
    void showReceivers(const std::vector<ReceiverFigures>& receivers);

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
