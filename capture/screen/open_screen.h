// Which kind of screen is meant: an X server's, or the desktop's through the ScreenCast portal.
#pragma once

#include <memory>
#include <string_view>

#include "capture/frame_source.h"

namespace verbcast {

/// `what` is what follows "screen:". "portal..." is the portal's, "x11" the X display's whole screen;
/// nothing is the portal's in a Wayland session and the X display's otherwise; what else there is are parts
/// of an X screen. Throws Error{Usage, Input, Display, Resource}.
std::unique_ptr<FrameSource> openScreen(const SourceOptions& options, std::string_view what);

}  // namespace verbcast
