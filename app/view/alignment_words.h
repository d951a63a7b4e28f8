// What is typed to align streams, and what is said of it.
#pragma once

#include <string>
#include <vector>

#include "core/stats/stream_stats.h"
#include "core/stream/frame_alignment.h"

namespace verbcast {

inline constexpr const char* kAlignHelp =
    "Which frames of several streams are shown together:\n"
    "newest: of each the newest (default)\n"
    "capture: those captured at the same time, on clocks that are known\n"
    "pts: those with the same time stamps, as of stereo pairs and parts of one picture";
inline constexpr const char* kDelayHelp =
    "With --align: show frames so many milliseconds after their capture,\n"
    "with pts after the first of them came (default: the smallest that holds)";

/// The values of --align and --delay; empty: not given. Throws Error{Usage}.
AlignmentOptions parseAlignment(const std::string& align, const std::string& delay);

/// The value of --align.
std::string alignName(AlignBy by);

/// How streams were aligned, and what there is to do about those that were not. `slots`: of each.
std::vector<std::string> alignmentLines(const AlignmentStats& alignment,
                                        const std::vector<NamedStats>& streams, std::uint32_t slots);

}  // namespace verbcast
