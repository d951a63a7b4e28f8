// The label of one of several pictures.
#pragma once

#include <QImage>
#include <QString>

#include "app/window/stats/throughput_plot.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

/// "59.9 fps  1.99 GB/s  85 / 240 us  0 dropped"
QString statsLine(const StreamStats& stats, const Throughput& rate);

/// A small panel, no wider than that many device-independent pixels; null if the text is empty.
QImage renderPaneLabel(const QString& text, bool hasFocus, int maximumWidth, double devicePixelRatio);

}  // namespace verbcast
