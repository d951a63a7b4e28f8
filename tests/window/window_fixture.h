// A window on its own X server, and queries about what it shows.
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QElapsedTimer>
#include <QThread>
#include <functional>
#include <memory>

#include "tests/window/programs.h"
#include "tests/window/x_server.h"

namespace verbcast::testing {

class WindowTest : public ::testing::Test {
  protected:
    // The window starts at the screen's top left, since no window manager moves it.
    static constexpr QRect kPictureArea{0, 0, 1280, 720};
    static constexpr QSize kPictureSize{200, 150};

    void TearDown() override {
        window_.reset();
        sender_.reset();
        EXPECT_EQ(sanitizerReports(folder()), "");
    }

    QString folder() const { return folder_.path(); }
    QString file(const QString& name) const { return folder_.filePath(name); }
    /// An address that no other test uses at the same time.
    QString url() const { return QString("shm://gui-test-%1").arg(::getpid()); }

    void openWindow(const QStringList& more = {}) {
        window_ = std::make_unique<Verbcast>(QStringList{"view", url()} + more, folder(), x_.display());
        x_.movePointer(640, 360);
    }

    /// Starts a sender with a picture and a window that shows it at 1:1.
    void openWithPicture(const QImage& picture, const QStringList& more = {}) {
        sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
        sender_->show(picture);
        openWindow(more);
        ASSERT_TRUE(eventually([&] { return similar(fittedCorner(picture), picture.pixelColor(0, 0)); }))
            << "the picture never came: " << window_->errors();
        x_.key("1");
        ASSERT_TRUE(eventually([&] { return shownAtOneToOne(x_.screenshot()) == picture; }))
            << window_->errors();
    }

    /// The area of `size` in the middle of the window.
    static QImage shownAtOneToOne(const QImage& screen, QRect area = kPictureArea,
                                  QSize size = kPictureSize) {
        const QPoint corner((area.width() - size.width()) / 2, (area.height() - size.height()) / 2);
        return screen.copy(QRect(area.topLeft() + corner, size));
    }

    /// The top left pixel of a picture scaled to the window's height.
    QColor fittedCorner(const QImage& picture) const {
        const int width = kPictureArea.height() * picture.width() / picture.height();
        return x_.screenshot().pixelColor((kPictureArea.width() - width) / 2 + 1, 1);
    }

    static bool similar(const QColor& a, const QColor& b, int tolerance = 4) {
        return std::abs(a.red() - b.red()) <= tolerance && std::abs(a.green() - b.green()) <= tolerance &&
               std::abs(a.blue() - b.blue()) <= tolerance;
    }

    int pixels(const QRect& area, QRgb colour) const {
        const QImage screen = x_.screenshot().copy(area);
        int count = 0;
        for (int y = 0; y < screen.height(); ++y) {
            for (int x = 0; x < screen.width(); ++x) {
                count += (screen.pixel(x, y) & 0xffffff) == (colour & 0xffffff) ? 1 : 0;
            }
        }
        return count;
    }

    /// Polls until the condition holds. The limit only bounds how long a failure takes.
    static bool eventually(const std::function<bool()>& condition) {
        constexpr qint64 kLimitMilliseconds = 30'000;
        QElapsedTimer timer;
        timer.start();
        while (!condition()) {
            if (timer.elapsed() > kLimitMilliseconds) {
                return false;
            }
            QThread::msleep(20);
        }
        return true;
    }

    QTemporaryDir folder_;
    XServer x_;
    std::unique_ptr<PictureSender> sender_;
    std::unique_ptr<Verbcast> window_;
    QStringList through_;  // command prefix of the window
};

}  // namespace verbcast::testing
