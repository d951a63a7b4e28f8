// Replaces the whole folder if libpipewire or libsystemd was not found, or VERBCAST_PORTAL is off.
#include "capture/screen/open_screen.h"
#include "core/base/error.h"

namespace verbcast {

PortalSupport portalSupport() {
    return {false, "compiled without libpipewire and libsystemd"};
}

std::unique_ptr<FrameSource> openPortalScreen(const SourceOptions&, std::string_view) {
    throw Error(
        ErrorKind::Display,
        "capturing a Wayland session takes the ScreenCast portal, and this program was compiled "
        "without libpipewire and libsystemd",
        "install libpipewire-0.3-dev and libsystemd-dev and build again; or log in to an X11 session");
}

}  // namespace verbcast
