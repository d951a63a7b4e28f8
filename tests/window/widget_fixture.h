// Our widgets in a window on a real X server, in this process.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QWidget>
#include <functional>

#include "tests/window/x_server.h"

namespace verbcast::testing {

/// The X server that all tests of the program share; set by main().
inline XServer* xServer = nullptr;

class WidgetTest : public ::testing::Test {
  protected:
    WidgetTest() { qputenv("HOME", folder_.path().toUtf8()); }

    QString file(const QString& name) const { return folder_.filePath(name); }

    /// Processes events until the condition holds. The limit only bounds how long a failure takes.
    static bool eventually(const std::function<bool()>& condition) {
        constexpr qint64 kLimitMilliseconds = 20'000;
        QElapsedTimer timer;
        timer.start();
        while (!condition()) {
            if (timer.elapsed() > kLimitMilliseconds) {
                return false;
            }
            QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        }
        return true;
    }

    /// Shows the widget at the screen's top left and gives it keyboard focus.
    static void open(QWidget& widget) {
        widget.setWindowTitle("Widget");
        widget.move(0, 0);
        widget.show();
        ASSERT_TRUE(eventually([&] { return xServer->focus("Widget") && widget.isActiveWindow(); }));
    }

    /// Real key presses; the window has received them when this returns.
    static void type(const QString& text) { xServer->input({"type", "--delay", "2", text}); }

    static QImage screen() { return xServer->screenshot(); }

    static int pixels(const QImage& image, const QColor& colour) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                count += image.pixelColor(x, y).rgb() == colour.rgb() ? 1 : 0;
            }
        }
        return count;
    }

  private:
    QTemporaryDir folder_;
};

}  // namespace verbcast::testing
