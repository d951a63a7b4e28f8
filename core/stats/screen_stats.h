// How a screen shows a stream: without a window system, or with one that reports on its windows.
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
    std::string shownBy;          ///< what tells when a picture was shown: "display", or "swap"
    std::uint64_t flips = 0;      ///< pictures put on the screen, with fades and stills
    std::uint64_t unplugged = 0;  ///< times that the display went away
    Percentiles interval;         ///< microseconds between two frames of the stream on the screen
    Percentiles wait;             ///< microseconds from drawing a frame until it is on the screen
};

/// For a window whose window system can tell when its pictures were shown.
struct WindowStats {
    std::string shownBy;                 ///< what tells when a picture was shown: see nameOf(ShownBy)
    std::string reason;                  ///< why the display does not tell, if it does not; else ""
    double refreshHz = 0;                ///< of the output, as last told; 0: not known
    std::uint64_t picturesShown = 0;     ///< that held a new frame of some stream
    std::uint64_t picturesNotShown = 0;  ///< of those given to the window system
    Percentiles interval;                ///< microseconds between two of them on the screen
    Percentiles wait;  ///< microseconds from giving a picture to the window system until it is shown
};

}  // namespace verbcast
