#include "app/window/desktop/screen_saver.h"

#include <xcb/screensaver.h>

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <utility>

#include "app/window/desktop/session_bus.h"
#include "app/window/desktop/xcb_properties.h"

namespace verbcast {
namespace {

QDBusMessage desktopCall(const QString& method) {
    return QDBusMessage::createMethodCall("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver",
                                          "org.freedesktop.ScreenSaver", method);
}

QString joined(const QString& first, const QString& second) {
    return "screen saver: " + (first.isEmpty() ? second : first + "; " + second);
}

}  // namespace

ScreenSaverInhibitor::ScreenSaverInhibitor(QObject* parent) : QObject(parent) {}

void ScreenSaverInhibitor::start() {
    if (!std::exchange(on_, true)) {
        askDesktop(suspendOnX11());
    }
}

void ScreenSaverInhibitor::stop() {
    if (!std::exchange(on_, false)) {
        return;
    }
    if (xcb_connection_t* connection = xConnection()) {
        xcb_screensaver_suspend(connection, 0);
        xcb_flush(connection);
    }
    if (cookie_) {
        releaseDesktop(*std::exchange(cookie_, std::nullopt));
    }
    Q_EMIT report("screen saver: no longer held off", true);
}

void ScreenSaverInhibitor::releaseDesktop(unsigned cookie) {
    QDBusMessage call = desktopCall("UnInhibit");
    call << cookie;
    QDBusConnection::sessionBus().send(call);
}

ScreenSaverInhibitor::Done ScreenSaverInhibitor::suspendOnX11() {
    xcb_connection_t* connection = xConnection();
    if (connection == nullptr) {
        return {};
    }
    const xcb_query_extension_reply_t* extension = xcb_get_extension_data(connection, &xcb_screensaver_id);
    if (extension == nullptr || extension->present == 0) {
        return {.text = "the X server has no MIT-SCREEN-SAVER, its own is left as it is"};
    }
    // The server accepts Suspend only from clients that asked for version 1.1.
    const auto cookie = xcb_screensaver_query_version(connection, 1, 1);
    const XcbReply<xcb_screensaver_query_version_reply_t> version(
        xcb_screensaver_query_version_reply(connection, cookie, nullptr));
    if (!version || (version->server_major_version == 1 && version->server_minor_version < 1)) {
        return {.text = "the X server's MIT-SCREEN-SAVER is too old to be suspended"};
    }
    xcb_screensaver_suspend(connection, 1);
    xcb_flush(connection);
    return {.text = "suspended on the X server", .off = true};
}

void ScreenSaverInhibitor::askDesktop(const Done& done) {
    if (!sessionBusRuns()) {
        Q_EMIT report(joined(done.text, "no session bus, so no desktop was asked"), done.off);
        return;
    }
    QDBusMessage call = desktopCall("Inhibit");
    call << QString("verbcast") << tr("shows video to an audience");
    // The inhibition ends with this connection, and thus with the program.
    auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, done] {
        const QDBusPendingReply<uint> reply = *watcher;
        watcher->deleteLater();
        if (!on_ || (!reply.isError() && cookie_)) {  // stopped meanwhile
            if (!reply.isError()) {
                releaseDesktop(reply.value());
            }
            return;
        }
        if (!reply.isError()) {
            cookie_ = reply.value();
        }
        Q_EMIT report(
            joined(done.text, reply.isError() ? "the desktop inhibits none (" + reply.error().message() + ")"
                                              : QString("inhibited at the desktop")),
            done.off || !reply.isError());
    });
}

}  // namespace verbcast
