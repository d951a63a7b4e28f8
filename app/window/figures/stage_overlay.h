// The panel that `I` shows over the picture: where the time of a frame goes.
#pragma once

#include <QImage>
#include <QString>
#include <optional>

#include "core/session/trust/trust.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

struct StageTimes {
    Percentiles capture, post, wire, upload, show;
    Percentiles input;  ///< input to picture; its row is there when it was measured
    double clockErrorUs = 0;
    QString uploadNote;                      ///< "direct: 2.1 ms, persistent PBO: 3.4 ms (median of 8)"
    QString alignmentNote{};                 ///< how far several streams are shown together
    std::optional<Protection> protection{};  ///< of the sender; nothing while there is none
};

/// A table of the stages with a bar each: solid to the median, thin to the 99th percentile. Bars share one
/// scale, that of the longest stage. Below them how far the stream is protected.
QImage renderStagePanel(const StageTimes& times, double devicePixelRatio);

}  // namespace verbcast
