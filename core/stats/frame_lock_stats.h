// How well several displays of one sender show the same frame at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stats/histogram.h"
#include "core/stats/stats_fields.h"

namespace verbcast {

/// One of the displays, as the sender knows it.
struct DisplayStats {
    std::string name;
    bool connected = false;
    std::uint64_t framesShown = 0;   ///< with the others
    std::uint64_t framesLate = 0;    ///< it was not ready when they were due
    std::uint64_t timesLeftOut = 0;  ///< it was no longer waited for: gone, or silent for the peer timeout
    std::string shownBy;             ///< what tells when it showed a frame: see nameOf(ShownBy)
    std::string clock;               ///< what relates its clock to the sender's: see nameOf(ClockBy)
    double clockErrorUs = 0;         ///< its error bound
    Percentiles behindDue;           ///< microseconds from the time to present until it did

    static constexpr void fields(auto visit) {
        visit("name", &DisplayStats::name);
        visit("connected", &DisplayStats::connected);
        visit("frames_shown", &DisplayStats::framesShown);
        visit("frames_late", &DisplayStats::framesLate);
        visit("times_left_out", &DisplayStats::timesLeftOut);
        visit("shown_by", &DisplayStats::shownBy);
        visit("clock", &DisplayStats::clock);
        visit("clock_error_us", &DisplayStats::clockErrorUs);
        visit("behind_due_us", &DisplayStats::behindDue);
    }
};

/// At the sender: of all displays. At a display: what the sender last said, and its own.
struct FrameLockStats {
    std::string mode;                 ///< "hold" or "go"
    std::uint32_t displays = 0;       ///< that take part now
    double delayMs = 0;               ///< from the submission of a frame to its time to present
    double smallestDelayMs = 0;       ///< with which no display would have been late in the last seconds
    double longestDelayMs = 0;        ///< limit of the delay: how long frames can wait in the displays' slots
    std::uint64_t frames = 0;         ///< shown by two displays or more
    std::uint64_t framesHeld = 0;     ///< hold: shown late or not at all, because a display was late
    std::uint64_t framesWithout = 0;  ///< that a display lacked while others showed them
    Percentiles skew;         ///< microseconds between the first and the last display that showed a frame
    double clockErrorUs = 0;  ///< the largest bound of the displays' clocks
    std::string late;         ///< the display that was late last; empty: none was
    std::vector<DisplayStats> each;  ///< at the sender: those that take part, then those that have left
    DisplayStats own{};              ///< at a display: its own

    static constexpr void fields(auto visit) {
        visit("mode", &FrameLockStats::mode);
        visit("displays_now", &FrameLockStats::displays);
        visit("delay_ms", &FrameLockStats::delayMs);
        visit("smallest_delay_ms", &FrameLockStats::smallestDelayMs);
        visit("longest_delay_ms", &FrameLockStats::longestDelayMs);
        visit("frames", &FrameLockStats::frames);
        visit("frames_held", &FrameLockStats::framesHeld);
        visit("frames_without", &FrameLockStats::framesWithout);
        visit("skew_us", &FrameLockStats::skew);
        visit("clock_error_us", &FrameLockStats::clockErrorUs);
        visit("late", &FrameLockStats::late);
        visit({"displays", nullptr}, &FrameLockStats::each);
        visit({nullptr, "own"}, &FrameLockStats::own);
    }
};

}  // namespace verbcast
