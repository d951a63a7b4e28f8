// How well the pictures of several streams that are shown together match.
#pragma once

#include <cstdint>
#include <string>

#include "core/stats/histogram.h"
#include "core/stats/stats_fields.h"

namespace verbcast {

/// One of the streams that are aligned.
struct StreamAlignment {
    bool aligned = false;
    bool clockKnown = true;
    std::string reason;            ///< why it is not; also empty before its first frame
    std::uint64_t framesLate = 0;  ///< came after the pictures that they belong to had been shown
    std::uint64_t framesThinned =
        0;  ///< dropped, because there were too few slots to keep them until they were due
    std::uint32_t slotsNeeded = 0;  ///< to keep all of them at the delay so far

    static constexpr void fields(auto visit) {
        visit("aligned", &StreamAlignment::aligned);
        visit("reason", &StreamAlignment::reason);
        visit("frames_late", &StreamAlignment::framesLate);
        visit("frames_thinned", &StreamAlignment::framesThinned);
        visit("slots_needed", &StreamAlignment::slotsNeeded);
    }
};

struct AlignmentStats {
    std::string by;      ///< "capture" or "pts"
    double delayMs = 0;  ///< in use; from the capture, or with pts from the arrival of the fastest stream
    double smallestDelayMs = 0;  ///< with which no frame of the last seconds would have been late
    bool delayGiven = false;     ///< by the user; else it follows the smallest
    std::uint64_t sets = 0;      ///< of pictures that were shown together
    /// Microseconds between the oldest and the newest picture of a set, counting streams that go on: a frame
    /// of theirs waits, or came at most three of their intervals ago.
    Percentiles skew;

    static constexpr void fields(auto visit) {
        visit("by", &AlignmentStats::by);
        visit("delay_ms", &AlignmentStats::delayMs);
        visit("delay_given", &AlignmentStats::delayGiven);
        visit("smallest_delay_ms", &AlignmentStats::smallestDelayMs);
        visit("sets", &AlignmentStats::sets);
        visit("skew_us", &AlignmentStats::skew);
    }
};

}  // namespace verbcast
