// Statistics in the windows' words.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/window/stats/throughput_plot.h"
#include "core/stats/alignment_stats.h"
#include "core/stats/frame_lock_stats.h"
#include "core/stats/stream_stats.h"
#include "core/stats/viewer_stats.h"

namespace verbcast {

/// "85 us", "1.24 ms", "12.3 ms", "2.1 s": three digits, in the unit a person would use.
QString durationText(double microseconds);
/// Shown for unknown values.
inline constexpr const char* kUnknown = "\u2013";
/// "85 / 240 us": both in the larger one's unit; kUnknown if there were too few frames.
QString latencyText(std::optional<double> p50, std::optional<double> p99);
QString latencyText(const Percentiles& latency);
/// "59.9 fps  1.99 GB/s  85 / 240 us  0 dropped"
QString statsLine(const StreamStats& stats, const Throughput& rate);

/// "aligned by pts, delay 101 ms, skew 0 us / 120 us"; for a stream that is not aligned, why. `slots`: of
/// each stream; the text says if this stream needs more.
QString alignmentText(const AlignmentStats& all, const StreamAlignment& own, std::uint32_t slots);

/// "displays together: 2 (hold), delay 12 ms, skew 90 us / 410 us"; also which display is late, and how
/// accurate the clocks are.
QString frameLockText(const FrameLockStats& stats);

/// "sound +1.2 ms, drift +12 ppm, 85 ms, 0 underruns": how long after its picture it is heard, how much has
/// arrived and is not heard yet; or why it is not heard.
QString soundText(const SoundStats& stats);
/// Its format, where it is played, and what else there is to say, a line each.
QString soundDetails(const SoundStats& stats);

/// True if a rail has gone down.
bool anyRailIsDown(const std::vector<RailStats>& rails);
/// On one line: which rails are up and what each has carried; "" without rails.
QString railsText(const std::vector<RailStats>& rails);
/// A line per rail, with its address and how often it was lost.
QString railsDetails(const std::vector<RailStats>& rails);

}  // namespace verbcast
