// Opens screens: an X server's, or any desktop's through the ScreenCast portal, which asks the user. Without
// PipeWire or sd-bus the build compiles portal/absent_portal.cpp, and nothing else of that folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "capture/frame_source.h"

namespace verbcast {

/// `what` follows "screen:". "portal..." means the portal, "x11" the X display's whole screen. Empty means
/// the portal in a Wayland session and the X display otherwise. Anything else names a part of an X screen.
/// Throws Error{Usage, Input, Display, Resource}.
std::unique_ptr<FrameSource> openScreen(const SourceOptions& options, std::string_view what);

/// `what` follows "screen:portal=": empty (a monitor or a window, the previous choice if the desktop
/// remembers it), "monitor", "window", or "ask" (a monitor or a window, always with the dialog). Waits for
/// the user's answer. Throws Error{Usage}, or Error{Display} if there is no portal, it refuses, or PipeWire
/// delivers no pictures.
std::unique_ptr<FrameSource> openPortalScreen(const SourceOptions& options, std::string_view what);

struct PortalSupport {
    bool compiledIn = false;
    std::string detail;  ///< "libpipewire 0.3.65, libsystemd 252", or why not compiled in
};
PortalSupport portalSupport();

}  // namespace verbcast
