#include "app/window/window_manager.h"

#include <xcb/xcb.h>

#include <QGuiApplication>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace verbcast {
namespace {

struct FreeReply {
    void operator()(void* reply) const { std::free(reply); }
};

xcb_atom_t atomOf(xcb_connection_t* connection, std::string_view name) {
    const auto cookie = xcb_intern_atom(connection, 1, static_cast<std::uint16_t>(name.size()), name.data());
    const std::unique_ptr<xcb_intern_atom_reply_t, FreeReply> reply(
        xcb_intern_atom_reply(connection, cookie, nullptr));
    return reply ? reply->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
}

/// The window that _NET_SUPPORTING_WM_CHECK of `window` names, or none.
xcb_window_t checkWindow(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t property) {
    const auto cookie = xcb_get_property(connection, 0, window, property, XCB_ATOM_WINDOW, 0, 1);
    const std::unique_ptr<xcb_get_property_reply_t, FreeReply> reply(
        xcb_get_property_reply(connection, cookie, nullptr));
    xcb_window_t result = XCB_WINDOW_NONE;
    if (reply && xcb_get_property_value_length(reply.get()) == sizeof result) {
        std::memcpy(&result, xcb_get_property_value(reply.get()), sizeof result);
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
    const xcb_atom_t property = atomOf(connection, "_NET_SUPPORTING_WM_CHECK");
    if (property == XCB_ATOM_NONE) {
        return false;
    }
    const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
    const xcb_window_t check = checkWindow(connection, root, property);
    // A manager that died leaves the root's property behind, but not the window that it names.
    return check != XCB_WINDOW_NONE && checkWindow(connection, check, property) == check;
}

}  // namespace verbcast
