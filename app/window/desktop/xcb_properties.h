// Questions to the X server over Qt's own connection.
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

/// XCB_ATOM_NONE when nobody has ever used the name.
xcb_atom_t xcbAtom(xcb_connection_t* connection, std::string_view name);
/// For names that others may use later.
xcb_atom_t newXcbAtom(xcb_connection_t* connection, std::string_view name);

/// Bytes of a window's property, at most so many words of four; empty when there is none of that type.
QByteArray xcbProperty(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t property,
                       xcb_atom_t type, std::uint32_t mostWords);

}  // namespace verbcast
