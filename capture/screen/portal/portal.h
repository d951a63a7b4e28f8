// The screen of any desktop through the ScreenCast portal, which asks the person in front of it. All that the
// rest of the program sees of this folder; absent_portal.cpp stands in for it where PipeWire or sd-bus is
// missing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "capture/frame_source.h"

namespace verbcast {

struct PortalSupport {
    bool compiledIn = false;
    std::string detail;  ///< "libpipewire 0.3.65, libsystemd 252", or why not
};
PortalSupport portalSupport();

/// `what`: nothing (a monitor or a window, as before if the desktop remembers), "monitor", "window", or "ask"
/// (a monitor or a window, whatever was chosen before). Waits for the person's answer. Throws Error{Usage},
/// Error{Display} when there is no portal, it refuses, or PipeWire does not carry pictures.
std::unique_ptr<FrameSource> openPortalScreen(const SourceOptions& options, std::string_view what);

}  // namespace verbcast
