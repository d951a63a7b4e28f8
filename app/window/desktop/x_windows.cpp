#include "app/window/desktop/x_windows.h"

#include <QGuiApplication>
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

}  // namespace

QList<ScreenWindow> screenWindows() {
    QList<ScreenWindow> list;
    const auto* x11 = qGuiApp->nativeInterface<QNativeInterface::QX11Application>();
    if (x11 == nullptr) {
        return list;
    }
    xcb_connection_t* connection = x11->connection();
    const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
    for (const xcb_window_t window : candidates(connection, root)) {
        const QString title = titleOf(connection, window);
        if (!title.isEmpty() && isShown(connection, window)) {
            list.append({window, title});
        }
    }
    return list;
}

}  // namespace verbcast
