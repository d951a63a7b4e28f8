// The Wayland objects behind Qt's windows.
#pragma once

class QWindow;
struct wl_display;
struct wl_surface;

namespace verbcast {

/// Qt's connection to the compositor; null on other platforms.
wl_display* applicationsWaylandDisplay();
/// Null while the window is hidden, and on other platforms. Qt makes a new one when it is shown again.
wl_surface* waylandSurfaceOf(QWindow& window);

}  // namespace verbcast
