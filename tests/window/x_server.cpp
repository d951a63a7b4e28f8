#include "tests/window/x_server.h"

#include <xcb/xcb.h>
#include <xcb/xfixes.h>

#include <QProcessEnvironment>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace verbcast::testing {
namespace {

constexpr int kServerPatienceMilliseconds = 30'000;

}  // namespace

void XServer::Disconnect::operator()(xcb_connection_t* connection) const {
    xcb_disconnect(connection);
}

XServer::XServer()
    : xvfb_(std::to_string(kWidth) + "x" + std::to_string(kHeight) + "x24"),
      connection_(xcb_connect(xvfb_.display().c_str(), nullptr)) {
    if (xcb_connection_has_error(connection_.get()) != 0) {
        throw std::runtime_error("cannot connect to Xvfb on " + xvfb_.display());
    }
}

xcb_window_t XServer::root() const {
    return xcb_setup_roots_iterator(xcb_get_setup(connection_.get())).data->root;
}

bool XServer::cursorVisible() const {
    xcb_connection_t* connection = connection_.get();
    // The extension answers only clients that have asked for its version.
    const std::unique_ptr<xcb_xfixes_query_version_reply_t, decltype(&std::free)> version(
        xcb_xfixes_query_version_reply(connection, xcb_xfixes_query_version(connection, 4, 0), nullptr),
        &std::free);
    const std::unique_ptr<xcb_xfixes_get_cursor_image_reply_t, decltype(&std::free)> cursor(
        xcb_xfixes_get_cursor_image_reply(connection, xcb_xfixes_get_cursor_image(connection), nullptr),
        &std::free);
    if (!version || !cursor) {
        throw std::runtime_error("the X server does not tell its cursor");
    }
    const std::uint32_t* pixels = xcb_xfixes_get_cursor_image_cursor_image(cursor.get());
    const int count = xcb_xfixes_get_cursor_image_cursor_image_length(cursor.get());
    return std::any_of(pixels, pixels + count, [](std::uint32_t argb) { return (argb >> 24) != 0; });
}

void XServer::splitMonitor(const QString& left, const QString& right) const {
    const QString half = QString("%1/200x%2/250").arg(kWidth / 2).arg(kHeight);
    // An output can belong to only one monitor, so the second one has none.
    run("xrandr", {"--setmonitor", left, half + "+0+0", "screen"});
    run("xrandr", {"--setmonitor", right, half + QString("+%1+0").arg(kWidth / 2), "none"});
}

void XServer::takeFocus() const {
    xcb_set_input_focus(connection_.get(), XCB_INPUT_FOCUS_NONE, XCB_NONE, XCB_CURRENT_TIME);
    xcb_flush(connection_.get());
}

QImage XServer::screenshot() const {
    return pixels({0, 0, kWidth, kHeight});
}

QRgb XServer::pixel(const QPoint& at) const {
    return pixels({at, QSize(1, 1)}).pixel(0, 0);
}

QImage XServer::pixels(const QRect& area) const {
    const auto cookie = xcb_get_image(
        connection_.get(), XCB_IMAGE_FORMAT_Z_PIXMAP, root(), static_cast<std::int16_t>(area.x()),
        static_cast<std::int16_t>(area.y()), static_cast<std::uint16_t>(area.width()),
        static_cast<std::uint16_t>(area.height()), ~0u);
    const std::unique_ptr<xcb_get_image_reply_t, decltype(&std::free)> reply(
        xcb_get_image_reply(connection_.get(), cookie, nullptr), &std::free);
    QImage image(area.size(), QImage::Format_RGB32);
    if (!reply || xcb_get_image_data_length(reply.get()) != image.sizeInBytes()) {
        throw std::runtime_error("the X server gives no screenshot of 32 bits a pixel");
    }
    std::memcpy(image.bits(), xcb_get_image_data(reply.get()), static_cast<std::size_t>(image.sizeInBytes()));
    return image;
}

QString XServer::clipboard() const {
    return ask("xclip", {"-selection", "clipboard", "-out"});
}

bool XServer::hasWindow(const QString& title) const {
    return !ask("xdotool", {"search", "--onlyvisible", "--name", "^" + title + "$"}).isEmpty();
}

bool XServer::focus(const QString& title) const {
    QProcess program;
    finish(program, "xdotool", {"search", "--onlyvisible", "--name", "^" + title + "$", "windowfocus"});
    return program.exitCode() == 0;
}

QString XServer::ask(const QString& name, const QStringList& arguments) const {
    QProcess program;
    finish(program, name, arguments);
    return QString::fromUtf8(program.readAllStandardOutput());
}

void XServer::finish(QProcess& program, const QString& name, const QStringList& arguments) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DISPLAY", display());
    program.setProcessEnvironment(environment);
    program.start(name, arguments);
    if (!program.waitForFinished(kServerPatienceMilliseconds)) {
        throw std::runtime_error(name.toStdString() +
                                 " does not answer: " + program.errorString().toStdString());
    }
}

void XServer::run(const QString& name, const QStringList& arguments) const {
    QProcess program;
    finish(program, name, arguments);
    if (program.exitCode() != 0) {
        throw std::runtime_error(name.toStdString() + " " + arguments.join(' ').toStdString() +
                                 " failed: " + program.readAllStandardError().toStdString());
    }
}

}  // namespace verbcast::testing
