// A real X server without a screen, real keys, and what the screen shows.
#pragma once

#include <QImage>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>

#include "tests/support/xvfb.h"

struct xcb_connection_t;
using xcb_window_t = std::uint32_t;

namespace verbcast::testing {

/// Xvfb on a display that was free. Ends with this object.
class XServer {
  public:
    static constexpr int kWidth = 1600;
    static constexpr int kHeight = 1000;

    /// Throws std::runtime_error when Xvfb is missing or does not start.
    XServer();

    /// ":7"
    QString display() const { return QString::fromStdString(xvfb_.display()); }

    /// Everything that is on the screen now.
    QImage screenshot() const;

    /// Runs xdotool, which uses the XTest extension: keys and buttons like those of hardware.
    void input(const QStringList& arguments) const { run("xdotool", arguments); }
    void key(const QString& name) const { input({"key", name}); }
    void movePointer(int x, int y) const { input({"mousemove", QString::number(x), QString::number(y)}); }

    /// What was copied last; empty when nothing was.
    QString clipboard() const;

    /// Whether a window is shown whose whole title this regular expression matches.
    bool hasWindow(const QString& title) const;
    /// Gives the keyboard to that window, as a window manager would. False when it could not be found: also
    /// when another window went meanwhile, which ends the search.
    bool focus(const QString& title) const;

    /// Whether the pointer has an image that is not all transparent.
    bool cursorVisible() const;

    /// Cuts the screen into two monitors of these names, each half as wide.
    void splitMonitor(const QString& left, const QString& right) const;

    /// Gives the keyboard to nobody.
    void takeFocus() const;

  private:
    xcb_window_t root() const;
    void run(const QString& name, const QStringList& arguments) const;
    QString ask(const QString& name, const QStringList& arguments) const;
    /// Runs it on this display until it ends.
    void finish(QProcess& program, const QString& name, const QStringList& arguments) const;

    struct Disconnect {
        void operator()(xcb_connection_t* connection) const;
    };
    Xvfb xvfb_;
    std::unique_ptr<xcb_connection_t, Disconnect> connection_;
};

}  // namespace verbcast::testing
