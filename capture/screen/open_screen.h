// Chooses the kind of screen: an X server's, or the desktop's through the ScreenCast portal.
#pragma once

#include <memory>
#include <string_view>

#include "capture/frame_source.h"

namespace verbcast {

/// `what` follows "screen:". "portal..." means the portal, "x11" the X display's whole screen. Empty means
/// the portal in a Wayland session and the X display otherwise. Anything else names a part of an X screen.
/// Throws Error{Usage, Input, Display, Resource}.
std::unique_ptr<FrameSource> openScreen(const SourceOptions& options, std::string_view what);

}  // namespace verbcast
