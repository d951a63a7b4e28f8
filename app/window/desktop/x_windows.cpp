#include "app/window/desktop/x_windows.h"

#include <cstring>

#include "app/window/desktop/xcb_properties.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMaxWindows = 256;
constexpr std::uint32_t kMaxTitleWords = 64;

QString titleOf(xcb_connection_t* connection, xcb_window_t window) {
    const QByteArray modern = xcbProperty(connection, window, xcbAtom(connection, "_NET_WM_NAME"),
                                          xcbAtom(connection, "UTF8_STRING"), kMaxTitleWords);
    if (!modern.isEmpty()) {
        return QString::fromStdString(cleanLine(modern.toStdString()));
    }
    const QString latin = QString::fromLatin1(
        xcbProperty(connection, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, kMaxTitleWords));
    return QString::fromStdString(cleanLine(latin.toStdString()));
}

bool isShown(xcb_connection_t* connection, xcb_window_t window) {
    const XcbReply<xcb_get_window_attributes_reply_t> reply(
        xcb_get_window_attributes_reply(connection, xcb_get_window_attributes(connection, window), nullptr));
    return reply && reply->map_state == XCB_MAP_STATE_VIEWABLE;
}

QList<xcb_window_t> candidates(xcb_connection_t* connection, xcb_window_t root) {
    const QByteArray managed =
        xcbProperty(connection, root, xcbAtom(connection, "_NET_CLIENT_LIST"), XCB_ATOM_WINDOW, kMaxWindows);
    QList<xcb_window_t> windows(managed.size() / static_cast<qsizetype>(sizeof(xcb_window_t)));
    std::memcpy(windows.data(), managed.constData(),
                static_cast<std::size_t>(windows.size()) * sizeof(xcb_window_t));
    if (windows.isEmpty()) {
        const XcbReply<xcb_query_tree_reply_t> tree(
            xcb_query_tree_reply(connection, xcb_query_tree(connection, root), nullptr));
        if (tree) {
            const xcb_window_t* children = xcb_query_tree_children(tree.get());
            windows = {children, children + xcb_query_tree_children_length(tree.get())};
        }
    }
    return windows;
}

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

QList<ScreenWindow> screenWindows() {
    QList<ScreenWindow> list;
    xcb_connection_t* connection = xConnection();
    if (connection == nullptr) {
        return list;
    }
    for (const xcb_window_t window : candidates(connection, xRoot(connection))) {
        const QString title = titleOf(connection, window);
        if (!title.isEmpty() && isShown(connection, window)) {
            list.append({window, title});
        }
    }
    return list;
}

bool windowManagerRuns() {
    xcb_connection_t* connection = xConnection();
    if (connection == nullptr) {
        return true;
    }
    const xcb_atom_t property = xcbAtom(connection, "_NET_SUPPORTING_WM_CHECK");
    if (property == XCB_ATOM_NONE) {
        return false;
    }
    const xcb_window_t check = checkWindow(connection, xRoot(connection), property);
    // A window manager that died leaves the root's property behind, but not the window it names.
    return check != XCB_WINDOW_NONE && checkWindow(connection, check, property) == check;
}

}  // namespace verbcast
