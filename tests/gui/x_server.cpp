#include "tests/gui/x_server.h"

#include <xcb/randr.h>
#include <xcb/xcb.h>
#include <xcb/xfixes.h>

#include <QProcessEnvironment>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace verbcast::testing {
namespace {

constexpr int kStartMilliseconds = 30'000;

}  // namespace

void XServer::Disconnect::operator()(xcb_connection_t* connection) const {
    xcb_disconnect(connection);
}

XServer::XServer() {
    process_.setProcessChannelMode(QProcess::SeparateChannels);
    process_.start("Xvfb", {"-displayfd", "1", "-screen", "0", QString("%1x%2x24").arg(kWidth).arg(kHeight),
                            "-nolisten", "tcp", "-noreset"});
    QByteArray number;
    while (!number.contains('\n')) {
        if (!process_.waitForReadyRead(kStartMilliseconds)) {
            throw std::runtime_error("Xvfb does not start: " + process_.errorString().toStdString() + " " +
                                     process_.readAllStandardError().toStdString());
        }
        number += process_.readAllStandardOutput();
    }
    display_ = ":" + QString::fromUtf8(number).trimmed();
    connection_.reset(xcb_connect(display_.toUtf8().constData(), nullptr));
    if (xcb_connection_has_error(connection_.get()) != 0) {
        throw std::runtime_error("cannot connect to Xvfb on " + display_.toStdString());
    }
}

XServer::~XServer() {
    connection_.reset();
    process_.terminate();
    if (!process_.waitForFinished(kStartMilliseconds)) {
        process_.kill();
        process_.waitForFinished();
    }
}

xcb_window_t XServer::root() const {
    return xcb_setup_roots_iterator(xcb_get_setup(connection_.get())).data->root;
}

bool XServer::cursorVisible() const {
    xcb_connection_t* connection = connection_.get();
    // The extension answers only those who have asked for its version.
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
    xcb_connection_t* connection = connection_.get();
    const std::unique_ptr<xcb_randr_get_screen_resources_current_reply_t, decltype(&std::free)> resources(
        xcb_randr_get_screen_resources_current_reply(
            connection, xcb_randr_get_screen_resources_current(connection, root()), nullptr),
        &std::free);
    if (!resources || xcb_randr_get_screen_resources_current_outputs_length(resources.get()) < 1) {
        throw std::runtime_error("the X server has no output");
    }
    const xcb_randr_output_t output = *xcb_randr_get_screen_resources_current_outputs(resources.get());
    std::int16_t x = 0;
    for (const QByteArray& name : {left.toUtf8(), right.toUtf8()}) {
        const std::unique_ptr<xcb_intern_atom_reply_t, decltype(&std::free)> atom(
            xcb_intern_atom_reply(
                connection,
                xcb_intern_atom(connection, 0, static_cast<std::uint16_t>(name.size()), name.constData()),
                nullptr),
            &std::free);
        struct {
            xcb_randr_monitor_info_t info{};
            xcb_randr_output_t output = 0;
        } monitor;
        monitor.info.name = atom->atom;
        monitor.info.primary = x == 0 ? 1 : 0;
        // An output belongs to one monitor; the second one has none.
        monitor.info.nOutput = x == 0 ? 1 : 0;
        monitor.output = output;
        monitor.info.x = x;
        monitor.info.width = kWidth / 2;
        monitor.info.height = kHeight;
        monitor.info.width_in_millimeters = 200;
        monitor.info.height_in_millimeters = 250;
        const std::unique_ptr<xcb_generic_error_t, decltype(&std::free)> error(
            xcb_request_check(connection, xcb_randr_set_monitor_checked(connection, root(), &monitor.info)),
            &std::free);
        if (error) {
            throw std::runtime_error("the X server makes no monitor " + name.toStdString());
        }
        x += kWidth / 2;
    }
}

void XServer::takeFocus() const {
    xcb_set_input_focus(connection_.get(), XCB_INPUT_FOCUS_NONE, XCB_NONE, XCB_CURRENT_TIME);
    xcb_flush(connection_.get());
}

QImage XServer::screenshot() const {
    const auto cookie =
        xcb_get_image(connection_.get(), XCB_IMAGE_FORMAT_Z_PIXMAP, root(), 0, 0, kWidth, kHeight, ~0u);
    const std::unique_ptr<xcb_get_image_reply_t, decltype(&std::free)> reply(
        xcb_get_image_reply(connection_.get(), cookie, nullptr), &std::free);
    QImage image(kWidth, kHeight, QImage::Format_RGB32);
    if (!reply || xcb_get_image_data_length(reply.get()) != image.sizeInBytes()) {
        throw std::runtime_error("the X server gives no screenshot of 32 bits a pixel");
    }
    std::memcpy(image.bits(), xcb_get_image_data(reply.get()), static_cast<std::size_t>(image.sizeInBytes()));
    return image;
}

void XServer::input(const QStringList& arguments) const {
    QProcess xdotool;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DISPLAY", display_);
    xdotool.setProcessEnvironment(environment);
    xdotool.start("xdotool", arguments);
    if (!xdotool.waitForFinished(kStartMilliseconds) || xdotool.exitCode() != 0) {
        throw std::runtime_error("xdotool " + arguments.join(' ').toStdString() +
                                 " failed: " + xdotool.errorString().toStdString() + " " +
                                 xdotool.readAllStandardError().toStdString());
    }
}

}  // namespace verbcast::testing
