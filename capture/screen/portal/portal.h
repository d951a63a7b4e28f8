// Captures any desktop's screen through the ScreenCast portal, which asks the user. The rest of the program
// sees only this header; absent_portal.cpp replaces the folder if PipeWire or sd-bus is missing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "capture/frame_source.h"

namespace verbcast {

struct PortalSupport {
    bool compiledIn = false;
    std::string detail;  ///< "libpipewire 0.3.65, libsystemd 252", or why not compiled in
};
PortalSupport portalSupport();

/// `what`: empty (a monitor or a window, the previous choice if the desktop remembers it), "monitor",
/// "window", or "ask" (a monitor or a window, always with the dialog). Waits for the user's answer. Throws
/// Error{Usage}, or Error{Display} if there is no portal, it refuses, or PipeWire delivers no pictures.
std::unique_ptr<FrameSource> openPortalScreen(const SourceOptions& options, std::string_view what);

}  // namespace verbcast
