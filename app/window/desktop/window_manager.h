// Tells whether a window manager moves and sizes our windows.
#pragma once

#include <QSize>

namespace verbcast {

/// False only on an X11 display without a window manager (a bare kiosk or virtual display): there a window
/// that is to fill the screen must size itself. Asks the X server at each call. Needs a QGuiApplication.
bool windowManagerRuns();

/// How large a window's contents can be on the primary screen: without panels, and without the frame and
/// title bar that a window manager adds, which are estimated. Needs a QGuiApplication.
QSize roomForWindow();

}  // namespace verbcast
