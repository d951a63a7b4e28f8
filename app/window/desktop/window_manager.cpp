#include "app/window/desktop/window_manager.h"

#include <QGuiApplication>
#include <cstring>

#include "app/window/desktop/xcb_properties.h"

namespace verbcast {
namespace {

/// The window named by _NET_SUPPORTING_WM_CHECK of `window`, or XCB_WINDOW_NONE.
xcb_window_t checkWindow(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t property) {
    const QByteArray value = xcbProperty(connection, window, property, XCB_ATOM_WINDOW, 1);
    xcb_window_t result = XCB_WINDOW_NONE;
    if (value.size() == sizeof result) {
        std::memcpy(&result, value.constData(), sizeof result);
    }
    return result;
}

}  // namespace

bool windowManagerRuns() {
    const auto* x11 = qGuiApp->nativeInterface<QNativeInterface::QX11Application>();
    if (x11 == nullptr) {
        return true;
    }
    xcb_connection_t* connection = x11->connection();
    const xcb_atom_t property = xcbAtom(connection, "_NET_SUPPORTING_WM_CHECK");
    if (property == XCB_ATOM_NONE) {
        return false;
    }
    const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
    const xcb_window_t check = checkWindow(connection, root, property);
    // A window manager that died leaves the root's property behind, but not the window it names.
    return check != XCB_WINDOW_NONE && checkWindow(connection, check, property) == check;
}

}  // namespace verbcast
