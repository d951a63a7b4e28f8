// Parses the alignment options and reports how streams were aligned.
#pragma once

#include <string>
#include <vector>

#include "core/stats/stream_stats.h"
#include "core/sync/frame_alignment.h"

namespace verbcast {

inline constexpr const char* kAlignHelp =
    "Which frames of several streams are shown together:\n"
    "newest: each stream's newest (default)\n"
    "capture: those captured at the same time, if the hosts' clocks are known\n"
    "pts: those with the same time stamps, such as stereo pairs and parts of one picture";
inline constexpr const char* kDelayHelp =
    "With --align: show frames this long after their capture, with pts after the "
    "first of a set has arrived (default: the smallest delay that suffices)";

/// Parses the values of --align and --delay; empty: not given. Throws Error{Usage}.
AlignmentOptions parseAlignment(const std::string& align, const std::string& delay);

/// The value of --align.
std::string alignName(AlignBy by);

/// Describes how streams were aligned and suggests fixes for those that were not. `slots`: of each.
std::vector<std::string> alignmentLines(const AlignmentStats& alignment,
                                        const std::vector<NamedStats>& streams, std::uint32_t slots);

}  // namespace verbcast
