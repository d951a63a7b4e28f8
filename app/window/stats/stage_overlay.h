// The panel that `I` shows over the picture: how a frame's time divides into stages.
#pragma once

#include <QImage>
#include <QString>
#include <optional>

#include "core/session/trust/trust.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

struct StageTimes {
    Percentiles capture, post, wire, upload, show;
    Percentiles input;  ///< input to picture; shown only if measured
    double clockErrorUs = 0;
    QString uploadNote;                      ///< "direct: 2.1 ms, persistent PBO: 3.4 ms (median of 8)"
    QString alignmentNote{};                 ///< how well several streams are aligned
    QString railsNote{};                     ///< a line for each rail
    std::optional<Protection> protection{};  ///< of the sender; nullopt: none connected
};

/// A table of the stages with a bar each: solid to the median, thin to the 99th percentile. All bars share
/// the scale of the longest stage. Below them: how the stream is protected.
QImage renderStagePanel(const StageTimes& times, double devicePixelRatio);

}  // namespace verbcast
