#include "tests/gui/x_server.h"

#include <xcb/xcb.h>

#include <QProcessEnvironment>
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

QImage XServer::screenshot() const {
    const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection_.get())).data->root;
    const auto cookie =
        xcb_get_image(connection_.get(), XCB_IMAGE_FORMAT_Z_PIXMAP, root, 0, 0, kWidth, kHeight, ~0u);
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
