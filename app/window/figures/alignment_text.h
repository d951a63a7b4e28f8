// How several streams are aligned, in words of the windows.
#pragma once

#include <QString>

#include "core/stats/alignment_stats.h"

namespace verbcast {

/// "aligned by pts, delay 101 ms, skew 0 us / 120 us"; of a stream that is not, why. `slots`: of each stream;
/// where its own needs more, that is said.
QString alignmentText(const AlignmentStats& all, const StreamAlignment& own, std::uint32_t slots);

}  // namespace verbcast
