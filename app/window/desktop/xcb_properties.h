// Queries to the X server over Qt's own connection.
#pragma once

#include <xcb/xcb.h>

#include <QByteArray>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace verbcast {

struct FreeXcbReply {
    void operator()(void* reply) const { std::free(reply); }
};
template <typename Reply>
using XcbReply = std::unique_ptr<Reply, FreeXcbReply>;

/// Null if the screen is not X11. Needs a QGuiApplication.
xcb_connection_t* xConnection();
/// The root window of the first screen.
xcb_window_t xRoot(xcb_connection_t* connection);

/// Returns XCB_ATOM_NONE if no such atom exists.
xcb_atom_t xcbAtom(xcb_connection_t* connection, std::string_view name);
/// Creates the atom if it does not exist, for names that others may use later.
xcb_atom_t newXcbAtom(xcb_connection_t* connection, std::string_view name);

/// Returns the bytes of a window's property, at most `mostWords` words of four bytes; empty if there is none
/// of that type.
QByteArray xcbProperty(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t property,
                       xcb_atom_t type, std::uint32_t mostWords);

}  // namespace verbcast
