// Used if libwayland, its protocols or Qt's private headers are missing.
#include "app/window/desktop/wayland_presentation.h"
#include "app/window/desktop/wayland_surface.h"
#include "core/base/error.h"

namespace verbcast {

std::string waylandPresentationMissing() {
    return "this program was built without Wayland's presentation times";
}

std::unique_ptr<WaylandPresentation> makeWaylandPresentation(wl_display* /*display*/) {
    throw Error(ErrorKind::Display, waylandPresentationMissing(),
                "build it where libwayland-dev, wayland-protocols and qt6-base-private-dev are installed");
}

wl_display* applicationsWaylandDisplay() {
    return nullptr;
}

wl_surface* waylandSurfaceOf(QWindow& /*window*/) {
    return nullptr;
}

}  // namespace verbcast
