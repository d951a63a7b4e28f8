// How well several displays of one sender show the same frame at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stats/histogram.h"

namespace verbcast {

/// One of the displays, as the sender knows it.
struct DisplayStats {
    std::string name;
    bool connected = false;
    std::uint64_t framesShown = 0;   ///< with the others
    std::uint64_t framesLate = 0;    ///< it was not ready when they were due
    std::uint64_t timesLeftOut = 0;  ///< it was not waited for any more: gone, or silent for the peer timeout
    std::string shownBy;             ///< who tells when it showed: see nameOf(ShownBy)
    std::string clock;               ///< what relates its clock to the sender's: see nameOf(ClockBy)
    double clockErrorUs = 0;         ///< the bound of that
    Percentiles behindDue;           ///< microseconds from the time to present to the time when it did
};

/// At the sender of all displays; at a display, of what the sender last said, and of its own.
struct TogetherStats {
    std::string mode;            ///< "hold" or "go"
    std::uint32_t displays = 0;  ///< that take part now
    double delayMs = 0;          ///< from the submission of a frame to its time to present
    double smallestDelayMs = 0;  ///< with which no display would have been late in the last seconds
    double longestDelayMs = 0;  ///< that the delay may become: so long frames can wait in the displays' slots
    std::uint64_t frames = 0;   ///< shown by two displays or more
    std::uint64_t framesHeld = 0;  ///< hold: shown after their time, or not at all, since a display was late
    std::uint64_t framesWithout = 0;  ///< that a display went without while others showed them
    Percentiles skew;         ///< microseconds between the first and the last display that showed a frame
    double clockErrorUs = 0;  ///< the largest bound of the displays' clocks
    std::string late;         ///< the display that was late last; empty: none was
    std::vector<DisplayStats> each;  ///< at the sender: those that take part, then those that have left
    DisplayStats own{};              ///< at a display: its own
};

}  // namespace verbcast
