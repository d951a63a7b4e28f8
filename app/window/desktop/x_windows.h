// The windows of the X11 screen, and whether anything manages them. GUI thread; needs a QGuiApplication.
#pragma once

#include <QList>
#include <QString>
#include <cstdint>

namespace verbcast {

struct ScreenWindow {
    std::uint32_t id = 0;
    QString title;
};

/// The windows that a window manager manages, or else those with a title. Empty if the screen is not X11.
QList<ScreenWindow> screenWindows();

/// False only on an X11 display without a window manager (a bare kiosk or virtual display): there a window
/// that is to fill the screen must size itself. Asks the X server at each call.
bool windowManagerRuns();

}  // namespace verbcast
