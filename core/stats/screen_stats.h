// How a screen shows a stream where no window system is in between.
#pragma once

#include <cstdint>
#include <string>

#include "core/stats/histogram.h"

namespace verbcast {

struct ScreenStats {
    std::string connector;  ///< "HDMI-A-1"
    bool connected = false;
    std::uint32_t width = 0, height = 0;  ///< of the mode
    double refreshHz = 0;
    std::string pageFlips;        ///< "atomic", or "legacy"
    std::string shownBy;          ///< who tells when a picture was shown: "display", or "swap"
    std::uint64_t flips = 0;      ///< pictures put on the screen, of fades and stills, too
    std::uint64_t unplugged = 0;  ///< times that the display went away
    Percentiles interval;         ///< microseconds between two frames of the stream on the screen
    Percentiles wait;             ///< microseconds from a frame's being drawn to its being on the screen
};

}  // namespace verbcast
