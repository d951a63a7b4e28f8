// Lists the monitors of the display.
#pragma once

#include <string>
#include <vector>

#include "capture/screen/rectangle.h"

namespace verbcast {

class XDisplay;

struct Monitor {
    std::string name;  ///< as in xrandr --listmonitors
    Rectangle area;
    bool primary = false;
};

/// The display's active monitors. Throws Error{Display} if its RandR extension is older than 1.5.
std::vector<Monitor> monitorsOf(const XDisplay& display);

/// Lines for `verbcast devices`: "HDMI-1  1920x1080+0+0  primary". If no display answers within half a
/// second, one line with the reason.
std::vector<std::string> monitorLines();

}  // namespace verbcast
