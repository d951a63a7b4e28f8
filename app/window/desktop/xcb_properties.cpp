#include "app/window/desktop/xcb_properties.h"

#include <QGuiApplication>

namespace verbcast {
namespace {

xcb_atom_t intern(xcb_connection_t* connection, bool onlyIfExists, std::string_view name) {
    const auto cookie = xcb_intern_atom(connection, onlyIfExists ? 1 : 0,
                                        static_cast<std::uint16_t>(name.size()), name.data());
    const XcbReply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(connection, cookie, nullptr));
    return reply ? reply->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
}

}  // namespace

xcb_connection_t* xConnection() {
    const auto* x11 = qGuiApp->nativeInterface<QNativeInterface::QX11Application>();
    return x11 == nullptr ? nullptr : x11->connection();
}

xcb_window_t xRoot(xcb_connection_t* connection) {
    return xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
}

xcb_atom_t xcbAtom(xcb_connection_t* connection, std::string_view name) {
    return intern(connection, true, name);
}

xcb_atom_t newXcbAtom(xcb_connection_t* connection, std::string_view name) {
    return intern(connection, false, name);
}

QByteArray xcbProperty(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t property,
                       xcb_atom_t type, std::uint32_t mostWords) {
    if (property == XCB_ATOM_NONE || type == XCB_ATOM_NONE) {
        return {};
    }
    const auto cookie = xcb_get_property(connection, 0, window, property, type, 0, mostWords);
    const XcbReply<xcb_get_property_reply_t> reply(xcb_get_property_reply(connection, cookie, nullptr));
    if (!reply || reply->type != type) {
        return {};
    }
    return {static_cast<const char*>(xcb_get_property_value(reply.get())),
            xcb_get_property_value_length(reply.get())};
}

}  // namespace verbcast
