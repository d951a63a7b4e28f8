#include "app/window/desktop/wayland_surface.h"

#include <qpa/qplatformnativeinterface.h>

#include <QGuiApplication>
#include <QWindow>

namespace verbcast {
namespace {

/// Qt 6.5 has a public interface for the display (QNativeInterface::QWaylandApplication) but none for
/// surfaces; this interface has both, in all versions. Only its virtual functions are called: nothing private
/// is linked.
QPlatformNativeInterface* waylandInterface() {
    return QGuiApplication::platformName().startsWith("wayland") ? QGuiApplication::platformNativeInterface()
                                                                 : nullptr;
}

}  // namespace

wl_display* applicationsWaylandDisplay() {
    QPlatformNativeInterface* qt = waylandInterface();
    return qt == nullptr ? nullptr : static_cast<wl_display*>(qt->nativeResourceForIntegration("wl_display"));
}

wl_surface* waylandSurfaceOf(QWindow& window) {
    QPlatformNativeInterface* qt = waylandInterface();
    return qt == nullptr || window.handle() == nullptr
               ? nullptr
               : static_cast<wl_surface*>(qt->nativeResourceForWindow("surface", &window));
}

}  // namespace verbcast
