// Describes the alignment of several streams in the windows' words.
#pragma once

#include <QString>

#include "core/stats/alignment_stats.h"

namespace verbcast {

/// "aligned by pts, delay 101 ms, skew 0 us / 120 us"; for a stream that is not aligned, why. `slots`: of
/// each stream; the text says if this stream needs more.
QString alignmentText(const AlignmentStats& all, const StreamAlignment& own, std::uint32_t slots);

}  // namespace verbcast
