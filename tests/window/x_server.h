// A real X server without a screen, real key presses, and screenshots.
#pragma once

#include <QImage>
#include <QProcess>
#include <QRect>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>

#include "tests/support/xvfb.h"

struct xcb_connection_t;
using xcb_window_t = std::uint32_t;

namespace verbcast::testing {

/// Xvfb on a free display. The destructor ends it.
class XServer {
  public:
    static constexpr int kWidth = 1600;
    static constexpr int kHeight = 1000;

    /// Throws std::runtime_error if Xvfb is missing or does not start.
    XServer();

    /// ":7"
    QString display() const { return QString::fromStdString(xvfb_.display()); }

    /// The whole screen's current contents.
    QImage screenshot() const;
    /// One of its pixels, which takes less than a millisecond.
    QRgb pixel(const QPoint& at) const;

    /// Runs xdotool, which uses the XTest extension: keys and buttons act like those of hardware.
    void input(const QStringList& arguments) const { run("xdotool", arguments); }
    void key(const QString& name) const { input({"key", name}); }
    void movePointer(int x, int y) const { input({"mousemove", QString::number(x), QString::number(y)}); }

    /// The text that was copied last; empty if none was.
    QString clipboard() const;

    /// Whether a visible window's entire title matches this regular expression.
    bool hasWindow(const QString& title) const;
    /// Gives that window keyboard focus, as a window manager would. Returns false if it was not found, which
    /// may also mean that another window disappeared and ended the search.
    bool focus(const QString& title) const;

    /// Whether the pointer's image has any pixel that is not transparent.
    bool cursorVisible() const;

    /// Splits the screen into two monitors of these names, each half as wide.
    void splitMonitor(const QString& left, const QString& right) const;

    /// Removes keyboard focus from all windows.
    void takeFocus() const;

  private:
    xcb_window_t root() const;
    QImage pixels(const QRect& area) const;
    void run(const QString& name, const QStringList& arguments) const;
    QString ask(const QString& name, const QStringList& arguments) const;
    /// Runs the program on this display until it exits.
    void finish(QProcess& program, const QString& name, const QStringList& arguments) const;

    struct Disconnect {
        void operator()(xcb_connection_t* connection) const;
    };
    Xvfb xvfb_;
    std::unique_ptr<xcb_connection_t, Disconnect> connection_;
};

}  // namespace verbcast::testing
